package console

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pooler-lab/internal/metric"
)

// nearApp is how the name of a pooler's other instance ends: both are one box.
const nearApp = "-near-app"

// boxOf is a node's box; one that the state doesn't have is unknown.
func boxOf(p place, s State) box {
	b := box{place: p, Name: p.Node, State: Unknown, Lines: []line{}}
	i := slices.IndexFunc(s.Nodes, func(n Node) bool { return n.Name == p.Node })
	if i < 0 {
		b.Lines = append(b.Lines, line{Text: "not known yet"})
		return b
	}
	node := s.Nodes[i]
	b.Kind, b.State = node.Kind, node.State
	if node.Role != node.Name {
		b.Role = node.Role
	}
	if p.Node == "client" {
		b.Lines = clientLines(s.Load)
		return b
	}
	b.Lines = nodeLines(node)
	for _, n := range s.Nodes {
		if n.Name == p.Node+nearApp {
			b.Lines = append(b.Lines, line{Text: "near the app: " + stateText(n)})
		}
	}
	return b
}

// stateText is whether a node answers, and why it doesn't.
func stateText(n Node) string {
	switch {
	case n.State == Up:
		return "up"
	case strings.HasPrefix(n.Reason, "paused"): // why, the banner says
		return "paused"
	}
	return breakable(strings.Trim(n.State+": "+n.Reason, ": "))
}

var insideWord = regexp.MustCompile(`([/:])([^\s\d])`)

// breakable lets long names, such as an image's, break between their parts and nowhere else.
func breakable(text string) string { return insideWord.ReplaceAllString(text, "$1\u200b$2") }

// nodeLines are the lines below a pooler's or a database's name.
func nodeLines(n Node) []line {
	if n.State != Up {
		return []line{{Text: stateText(n)}}
	}
	var lines []line
	if n.Reason != "" { // it answers, and its clients don't come through
		lines = append(lines, line{Text: breakable(n.Reason)})
	}
	if n.SelectsPerSecond != nil && *n.SelectsPerSecond > 0 { // 0 is no news where nothing goes through it
		text := "SELECTs/s"
		if n.Kind == "database" {
			text = "balanced SELECTs/s"
		}
		lines = append(lines, line{Number: fmt.Sprintf("%.0f", *n.SelectsPerSecond), Text: text})
	}
	if n.Backends != nil {
		lines = append(lines, line{Text: metric.Count(*n.Backends, "backend")})
	}
	switch {
	case n.ReplicationLagMS != nil:
		lag := "0"
		if *n.ReplicationLagMS != 0 {
			lag = metric.Number(*n.ReplicationLagMS)
		}
		lines = append(lines, line{Text: "lag " + lag + " ms"})
	case n.Role == "standby":
		lines = append(lines, line{Text: "lag not measured"})
	}
	lines = append(lines, poolLines(n)...)
	if len(lines) == 0 {
		return []line{{Text: "up"}}
	}
	return lines
}

// poolLines are a pool's use, and the clients that wait for it.
func poolLines(n Node) []line {
	var lines []line
	if n.ServersActive != nil {
		text := fmt.Sprintf("%d of %s in use, %s idle", *n.ServersActive, orUnknown(n.PoolSize), orUnknown(n.ServersIdle))
		lines = append(lines, line{Text: text})
		if n.PoolSize != nil && *n.PoolSize > 0 {
			lines = append(lines, line{Text: "pool use", Bar: &bar{Used: *n.ServersActive, Of: *n.PoolSize}})
		}
	}
	if n.WaitingClients != nil {
		text := "clients waiting"
		if *n.WaitingClients == 1 {
			text = "client waiting"
		}
		lines = append(lines, line{Number: fmt.Sprint(*n.WaitingClients), Text: text, Alert: *n.WaitingClients > 0})
	}
	return lines
}

func orUnknown(n *int) string {
	if n == nil {
		return "?"
	}
	return fmt.Sprint(*n)
}

// clientLines are what the live load does.
func clientLines(load Load) []line {
	if load.State != LoadRunning {
		return []line{{Text: "load " + load.State}}
	}
	tps := 0.0
	for _, p := range load.last {
		tps += p.TPS
	}
	clients := fmt.Sprintf("%d × %s", len(load.Paths), metric.Count(load.Clients, "client"))
	return []line{{Number: fmt.Sprintf("%.0f", tps), Text: "TPS"}, {Text: clients}, {Text: load.Workload}}
}
