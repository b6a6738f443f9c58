package link

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gopkg.in/yaml.v3"

	"pooler-lab/internal/suggest"
)

// Preset is settings with a name, their source, and what such a network has that toxiproxy lacks.
type Preset struct {
	Name      string `yaml:"name"`
	Meaning   string `yaml:"meaning"`
	LatencyMS int    `yaml:"latency_ms"`
	JitterMS  int    `yaml:"jitter_ms"`
	DownKBps  int    `yaml:"down_kbps"`
	UpKBps    int    `yaml:"up_kbps"`
	Source    string `yaml:"source"`
	Limits    string `yaml:"limits"`
}

// Presets are all presets, in the order of their file.
type Presets []Preset

// LoadPresets reads configs/presets.yaml below root.
func LoadPresets(root string) (Presets, error) {
	file := filepath.Join(root, "configs", "presets.yaml")
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read presets: %w", err)
	}
	var presets Presets
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(&presets); err != nil {
		return nil, fmt.Errorf("read presets from %s: %w", file, err)
	}
	for i, p := range presets {
		if err := p.check(); err != nil {
			return nil, fmt.Errorf("%s: preset %d, %q: %w", file, i+1, p.Name, err)
		}
	}
	return presets, nil
}

func (p Preset) check() error {
	needed := map[string]string{"name": p.Name, "meaning": p.Meaning, "source": p.Source, "limits": p.Limits}
	for what, text := range needed {
		if text == "" {
			return fmt.Errorf("%s is needed", what)
		}
	}
	if p.LatencyMS < 0 || p.JitterMS < 0 || p.DownKBps < 0 || p.UpKBps < 0 {
		return fmt.Errorf("figures can't be negative")
	}
	return p.Settings().check()
}

// Settings returns what the preset asks of a link.
func (p Preset) Settings() Settings {
	return Settings{LatencyMS: p.LatencyMS, JitterMS: p.JitterMS, DownKBps: p.DownKBps, UpKBps: p.UpKBps}
}

// Find returns the preset of that name; the error names the closest one and lists all.
func (ps Presets) Find(name string) (Preset, error) {
	for _, p := range ps {
		if p.Name == name {
			return p, nil
		}
	}
	return Preset{}, suggest.Unknown("preset", name, ps.names())
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
		figures := p.Settings().String()
		if figures == "-" {
			figures = "nothing added"
		}
		fmt.Fprintf(
			w,
			"%s: %s\n  %s\n  source: %s\n  limits: %s\n\n",
			p.Name,
			p.Meaning,
			figures,
			wrap(p.Source),
			wrap(p.Limits),
		)
	}
}

// wrap breaks a text into lines of about 100 letters, the later ones indented.
func wrap(text string) string {
	var b strings.Builder
	length := 0
	for _, word := range strings.Fields(text) {
		if length > 0 && length+len(word) > 100 {
			b.WriteString("\n    ")
			length = 0
		} else if length > 0 {
			b.WriteString(" ")
		}
		b.WriteString(word)
		length += len(word) + 1
	}
	return b.String()
}
