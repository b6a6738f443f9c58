package link

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"pooler-lab/internal/topology"
	"pooler-lab/internal/wording"
)

// Preset is settings with a name, their source, and what such a network has that toxiproxy lacks.
type Preset struct {
	Name     string `json:"name" yaml:"name"`
	Meaning  string `json:"meaning" yaml:"meaning"`
	Settings `yaml:",inline"`
	Source   string `json:"-" yaml:"source"`
	Limits   string `json:"-" yaml:"limits"`
}

// Presets are all presets, in the order of their file.
type Presets []Preset

// LoadPresets reads configs/presets.yaml below root.
func LoadPresets(root string) (Presets, error) {
	file := filepath.Join(root, "configs", "presets.yaml")
	presets := Presets{}
	if err := topology.ReadYAML(file, &presets); err != nil {
		return nil, err
	}
	for i, p := range presets {
		if err := p.Check(); err != nil {
			return nil, fmt.Errorf("%s: preset %d, %q: %w", file, i+1, p.Name, err)
		}
	}
	return presets, nil
}

// Find returns the preset of that name; the error names the closest one and lists all.
func (ps Presets) Find(name string) (Preset, error) {
	for _, p := range ps {
		if p.Name == name {
			return p, nil
		}
	}
	return Preset{}, wording.Unknown("preset", name, ps.names())
}

func (ps Presets) names() []string {
	names := make([]string, len(ps))
	for i, p := range ps {
		names[i] = p.Name
	}
	return names
}

func (ps Presets) write(w io.Writer) {
	for _, p := range ps {
		figures := p.Settings.Describe()
		if p.Settings == (Settings{}) {
			figures = "nothing added"
		}
		fmt.Fprintf(w, "%s: %s\n  %s\n  source: %s\n  limits: %s\n\n",
			p.Name, p.Meaning, figures, indented(p.Source, 100), indented(p.Limits, 100))
	}
}

// indented breaks a text into lines of at most width letters, the later ones indented.
func indented(words string, width int) string {
	return strings.Join(wording.Wrap(words, width), "\n    ")
}
