package sample

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// spentSQL is how much CPU time the backend that answers has used, in nanoseconds: see configs/postgres/roles.sql.
const spentSQL = "SELECT lab_cpu_ns()"

// A spending is the CPU time that a node's backend had used for the sampler at one moment.
type spending struct {
	at  time.Time
	cpu time.Duration
}

func (s spending) when() time.Time { return s.at }

// readSpending notes what the looks have cost the server so far, unless it can't tell.
func (n *node) readSpending(ctx context.Context) error {
	if n.silent {
		return nil
	}
	var ns pgtype.Int8 // null or 0 where the kernel keeps no such file
	err := n.conn.QueryRow(ctx, spentSQL).Scan(&ns)
	var said *pgconn.PgError
	if errors.As(err, &said) || err == nil && ns.Int64 == 0 {
		n.silent = true
		return nil
	}
	if err == nil {
		if len(n.spent) == 0 {
			n.looked = 0 // what was before it isn't in it
		}
		n.spent = append(n.spent, spending{time.Now(), time.Duration(ns.Int64)})
		n.learnPrice()
	}
	return err
}

// fewestLooks is how many of them a price is made of at least.
const fewestLooks = 10

// learnPrice shares out among the looks what the backend has spent since its first spending, the counting of locks
// included.
func (n *node) learnPrice() {
	if n.looked >= fewestLooks && len(n.spent) > 1 {
		n.price = (n.spent[len(n.spent)-1].cpu - n.spent[0].cpu) / time.Duration(n.looked)
	}
}

// costShare is the CPU time that looking took of the server between two moments, as a share of the time between
// them. Where the server can't tell it is what the looks took by the clock, waiting for a CPU and the network included:
// more than that they can't cost.
func (n *node) costShare(from, to time.Time, clock time.Duration) float64 {
	if i, j, ok := nearest(n.spent, spending.when, from, to); ok {
		return (n.spent[j].cpu - n.spent[i].cpu).Seconds() / n.spent[j].at.Sub(n.spent[i].at).Seconds()
	}
	return clock.Seconds() / to.Sub(from).Seconds()
}
