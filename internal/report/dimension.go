package report

import (
	"slices"
	"strconv"
	"strings"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// A dimension is what cells of a group may differ in, beside their path. Its column stands where they do; what all of
// them share stands above the table.
type dimension struct {
	heading string
	of      func(*result.Cell) string // in a column
	say     func(*result.Cell) string // above the table; empty says nothing
}

var dimensions = []dimension{
	{"latency", func(c *result.Cell) string { return c.Latency.String() }, sayLatency},
	{"workload", func(c *result.Cell) string { return c.Workload }, func(c *result.Cell) string { return c.Workload }},
	{"clients", func(c *result.Cell) string { return strconv.Itoa(c.Clients) }, func(c *result.Cell) string { return metric.Count(c.Clients, "client") }},
	number("instances", "app instance", "s", func(c *result.Cell) int { return c.Instances }),
	number("pool each", "connection", "s in each one's pool", func(c *result.Cell) int { return c.InstancePool }),
	number("pool", "server connection", "s in the pooler's pool", func(c *result.Cell) int { return c.PoolSize }),
	{"role", func(c *result.Cell) string { return c.Role }, sayRole},
	{"protocol", func(c *result.Cell) string { return c.Protocol }, func(c *result.Cell) string { return c.Protocol + " protocol" }},
	{"rate", rate, sayRate},
	number("each does", "transaction", "s each", func(c *result.Cell) int { return c.Transactions }),
	number("KB/s", "KB/s a connection", "", func(c *result.Cell) int { return c.BandwidthKBs }),
	{"settings", saySettings, saySettings},
	number("repl. ms", "ms of round trip on replication", "", func(c *result.Cell) int { return c.ReplicationMS }),
}

// number is a dimension that counts what, the ending of many beside it; 0 is not to have any.
func number(heading, what, many string, of func(*result.Cell) int) dimension {
	column := func(c *result.Cell) string {
		if of(c) == 0 {
			return "-"
		}
		return strconv.Itoa(of(c))
	}
	say := func(c *result.Cell) string {
		switch of(c) {
		case 0:
			return ""
		case 1:
			_, rest, _ := strings.Cut(many, " ") // without the plural's letters
			return strings.TrimSpace("1 " + what + " " + rest)
		}
		return column(c) + " " + what + many
	}
	return dimension{heading, column, say}
}

func sayLatency(c *result.Cell) string {
	if !c.Latency.Proxied() {
		return "without toxiproxy"
	}
	return strconv.Itoa(c.Latency.MS()) + " ms set on toxiproxy"
}

// saySettings are what was applied for the cell, as component name=value.
func saySettings(c *result.Cell) string {
	d, err := lesson.DimensionNamed("settings")
	if err != nil {
		return ""
	}
	return d.Text(d.Of(&c.Cell))
}

// sayRole leaves the role out that everyone has unless told otherwise.
func sayRole(c *result.Cell) string {
	if c.HasUsualRole() {
		return ""
	}
	return "role " + c.Role
}

func rate(c *result.Cell) string {
	if c.Rate == 0 {
		return "max"
	}
	return exact(c.Rate) + "/s"
}

func sayRate(c *result.Cell) string {
	switch {
	case c.Rate > 0:
		return "open loop, " + perSecond(c.Rate)
	case c.Transactions > 0:
		return ""
	}
	return "closed loop"
}

// split divides the dimensions into those in which the cells differ, and what is to be said of the others.
func split(cells []*result.Cell) (varying []dimension, shared []string) {
	for _, d := range dimensions {
		if slices.ContainsFunc(cells, func(c *result.Cell) bool { return d.of(c) != d.of(cells[0]) }) {
			varying = append(varying, d)
		} else if text := d.say(cells[0]); text != "" {
			shared = append(shared, text)
		}
	}
	return varying, shared
}
