package trial

import (
	"context"
	"time"

	"pooler-lab/internal/link"
	"pooler-lab/internal/shared"
)

// ComesBack is how long toxiproxy may take to answer again after it was killed.
const ComesBack = 30 * time.Second

// Answering reads the links as soon as toxiproxy answers.
func (lab *Lab) Answering(ctx context.Context) (links link.Snapshot, err error) {
	_ = shared.Until(ctx, ComesBack, 200*time.Millisecond, func() (bool, error) { // err says more than that it is late
		links, err = lab.Links.Snapshot(ctx)
		return err == nil, nil
	})
	return links, err
}

// restoreTime is how long settings may take to be put back.
const restoreTime = time.Minute

// Restore undoes what the trial before had changed on the servers, even where the run has been stopped.
func (lab *Lab) Restore() {
	ctx, cancel := context.WithTimeout(context.Background(), restoreTime)
	defer cancel()
	if err := lab.Servers.Restore(ctx); err != nil {
		lab.NotRestored("settings", err)
	}
}

// setLinks puts exactly what is wanted on links and takes everything off all others: whatever else is set or cut would
// only change under the cell. The run restores it at its end.
func (lab *Lab) setLinks(ctx context.Context, wanted map[string]link.Settings) error {
	now, err := lab.Answering(ctx)
	if err != nil {
		return err
	}
	for _, p := range now {
		_, studied := wanted[p.Name]
		if !p.Enabled || !p.Bare() && !studied {
			if err := lab.Links.Off(ctx, p.Name); err != nil {
				return err
			}
		}
	}
	for name, s := range wanted {
		if err := lab.Links.Set(ctx, name, s); err != nil {
			return err
		}
	}
	return nil
}
