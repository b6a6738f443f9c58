package sample

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// cpuSQL is how much CPU time the backend that answers has used, in nanoseconds: see configs/postgres/roles.sql.
const cpuSQL = "SELECT lab_cpu_ns()"

// A cpuReading is the CPU time that a node's backend had used for the sampler at one moment.
type cpuReading struct {
	at  time.Time
	cpu time.Duration
}

func (s cpuReading) when() time.Time { return s.at }

// readCPU notes what the samples have cost the server so far, unless it can't tell.
func (n *node) readCPU(ctx context.Context) error {
	if n.silent {
		return nil
	}
	var ns pgtype.Int8 // null or 0 where the kernel keeps no such file
	err := n.conn.QueryRow(ctx, cpuSQL).Scan(&ns)
	var said *pgconn.PgError
	if errors.As(err, &said) || err == nil && ns.Int64 == 0 {
		n.silent = true
		return nil
	}
	if err == nil {
		if len(n.cpu) == 0 {
			n.sampled = 0 // what was before it isn't in it
		}
		n.cpu = append(n.cpu, cpuReading{time.Now(), time.Duration(ns.Int64)})
		n.learnCost()
	}
	return err
}

// fewestSamples is how many of them the cost of one is made of at least.
const fewestSamples = 10

// learnCost shares out among the samples what the backend has used since its first reading, the counting of locks
// included.
func (n *node) learnCost() {
	if n.sampled >= fewestSamples && len(n.cpu) > 1 {
		n.costEach = (n.cpu[len(n.cpu)-1].cpu - n.cpu[0].cpu) / time.Duration(n.sampled)
	}
}

// costShare is the CPU time that sampling took of the server between two moments, as a share of the time between
// them. Where the server can't tell it is what the samples took by the clock, waiting for a CPU and the network
// included: more than that they can't cost.
func (n *node) costShare(from, to time.Time, clock time.Duration) float64 {
	if i, j, ok := nearest(n.cpu, cpuReading.when, from, to); ok {
		return (n.cpu[j].cpu - n.cpu[i].cpu).Seconds() / n.cpu[j].at.Sub(n.cpu[i].at).Seconds()
	}
	return clock.Seconds() / to.Sub(from).Seconds()
}
