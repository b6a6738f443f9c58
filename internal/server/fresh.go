package server

import (
	"context"
	"fmt"
)

// fresh is the database that is made anew for each repeat that wants one. Role lab owns it, anybody may come in.
const fresh = "lab_fresh"

// makeFresh makes the database anew and waits until all of the path's nodes have it.
func (l *Servers) makeFresh(ctx context.Context, p Path) error {
	if err := l.dropFresh(ctx); err != nil {
		return err
	}
	l.madeFresh = true
	if err := l.nodes[primary].Do(ctx, "CREATE DATABASE "+fresh); err != nil {
		return fmt.Errorf("make a fresh database: %w", err)
	}
	for _, name := range p.Nodes() {
		if name == standby {
			return l.followed(ctx)
		}
	}
	return nil
}

func (l *Servers) dropFresh(ctx context.Context) error {
	if _, err := l.nodes[primary].Ask(ctx, "DROP DATABASE IF EXISTS "+fresh+" WITH (FORCE)"); err != nil {
		return fmt.Errorf("drop the fresh database: %w", err)
	}
	l.madeFresh = false
	return nil
}
