package link

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"pooler-lab/internal/session"
	"pooler-lab/internal/topology"
)

// ReplicationLink is the link that the standby can receive its WAL over. It stays off it until someone asks for it:
// only then does toxiproxy stand between primary and standby.
const ReplicationLink = "primary-standby"

// askWait is how long the standby may take to let the lab in and answer, streamWait until it streams again from where
// it was told to.
const askWait, streamWait = 5 * time.Second, 15 * time.Second

// Replication is how the standby gets its WAL: straight from the primary, or over ReplicationLink.
type Replication struct {
	standby, password string // how the lab's own role reaches it
	straight, link    address
}

// An address is where a standby gets its WAL from.
type address struct{ host, port string }

func (a address) String() string { return net.JoinHostPort(a.host, a.port) }

// NewReplication returns the replication of the lab whose links are in set, with the link's listener on host
// ("toxiproxy"). Nothing is opened yet.
func NewReplication(set *topology.Set, host string) (*Replication, error) {
	l, err := set.Link(ReplicationLink)
	if err != nil {
		return nil, err
	}
	upstream, port, err := net.SplitHostPort(l.Upstream)
	if err != nil {
		return nil, fmt.Errorf("read link %s: %w", l.Name, err)
	}
	return &Replication{
		standby:  topology.Endpoint{Host: "standby", Port: 5432, DBName: "postgres"}.DSN("lab"),
		password: os.Getenv("LAB_PASSWORD"),
		straight: address{upstream, port},
		link:     address{host, strconv.Itoa(l.Port())},
	}, nil
}

// OverLink reports whether the standby is told to replicate over the link.
func (r *Replication) OverLink(ctx context.Context) (over bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	err = r.ask(ctx, func(_ *session.Session, now conninfo) error {
		over = now.address() == r.link
		return nil
	})
	return over, err
}

// Move puts the standby's replication on the link, or takes it off, and waits until it streams from there.
// Nothing but host and port of its connection string changes.
func (r *Replication) Move(ctx context.Context, over bool) error {
	return r.move(ctx, over, true)
}

// move leaves a standby that has been told so already alone, unless it is to be waited for.
func (r *Replication) move(ctx context.Context, over, wait bool) error {
	ctx, cancel := context.WithTimeout(ctx, askWait+streamWait)
	defer cancel()
	to := r.straight
	if over {
		to = r.link
	}
	return r.ask(ctx, func(standby *session.Session, now conninfo) error {
		if now.address() != to {
			if err := follow(ctx, standby, now.with(to)); err != nil {
				return err
			}
		} else if !wait {
			return nil
		}
		return awaitStream(ctx, standby, to)
	})
}

// ask connects to the standby and hands over its primary_conninfo.
func (r *Replication) ask(ctx context.Context, do func(*session.Session, conninfo) error) error {
	standby, err := session.Open(ctx, r.standby, r.password)
	if err != nil {
		return fmt.Errorf("connect to the standby: %w", err)
	}
	defer standby.Close()
	row, err := standby.AskOne(ctx, "SELECT current_setting('primary_conninfo') AS value")
	if err != nil {
		return fmt.Errorf("read the standby's primary_conninfo: %w", err)
	}
	now, err := parseConninfo(row["value"])
	if err == nil && len(now) == 0 {
		err = errors.New("it is empty, so the standby follows no primary")
	}
	if err != nil {
		return fmt.Errorf("read the standby's primary_conninfo: %w", err)
	}
	return do(standby, now)
}

// follow has the standby follow another primary.
func follow(ctx context.Context, standby *session.Session, primary conninfo) error {
	// Two messages, since ALTER SYSTEM refuses the transaction that several statements in one would be.
	for _, sql := range []string{
		"ALTER SYSTEM SET primary_conninfo TO " + session.Quoted(primary.String()), "SELECT pg_reload_conf()",
	} {
		if _, err := standby.Ask(ctx, sql); err != nil {
			return fmt.Errorf("set the standby's primary_conninfo: %w", err)
		}
	}
	return nil
}

// awaitStream waits until the standby receives WAL from that address.
func awaitStream(ctx context.Context, standby *session.Session, from address) error {
	last := "no WAL receiver runs"
	err := session.Until(ctx, streamWait, 100*time.Millisecond, func() (bool, error) {
		rows, err := standby.Ask(ctx, "SELECT status || ' from ' || sender_host || ':' || sender_port AS value "+
			"FROM pg_stat_wal_receiver")
		if err == nil && len(rows) > 0 && rows[0]["value"] != "" {
			last = rows[0]["value"]
		}
		return err == nil && last == "streaming from "+from.host+":"+from.port, nil // a failure may pass
	})
	if err != nil {
		return fmt.Errorf("the standby is told to replicate from %s, but doesn't stream from there: %w (%s)", from, err, last)
	}
	return nil
}

// conninfo is a libpq connection string, cut into its keywords. Each keeps its value as it was written, quotes and all.
type conninfo []struct{ key, value string }

// keyword is the first keyword of a connection string, with its value in quotes or without.
var keyword = regexp.MustCompile(`^\s*(\w+)\s*=\s*('(?:[^'\\]|\\.)*'|(?:(?:[^\s'\\]|\\.)(?:[^\s\\]|\\.)*)?)(?:\s+|$)`)

// parseConninfo reads the keyword=value form; URIs aren't for us.
func parseConninfo(text string) (conninfo, error) {
	var info conninfo
	for text = strings.TrimSpace(text); text != ""; {
		found := keyword.FindStringSubmatch(text)
		if found == nil {
			return nil, errors.New("it isn't of the form keyword=value") // it may hold a password
		}
		info = append(info, struct{ key, value string }{found[1], found[2]})
		text = text[len(found[0]):]
	}
	return info, nil
}

func (c conninfo) address() (a address) {
	for _, word := range c {
		switch word.key {
		case "host":
			a.host = strings.Trim(word.value, "'")
		case "port":
			a.port = strings.Trim(word.value, "'")
		}
	}
	return a
}

// with returns the string with another host and port, all else as it was.
func (c conninfo) with(a address) conninfo {
	changed := conninfo{{"host", a.host}, {"port", a.port}}
	for _, word := range c {
		if word.key != "host" && word.key != "hostaddr" && word.key != "port" {
			changed = append(changed, word)
		}
	}
	return changed
}

func (c conninfo) String() string {
	words := make([]string, len(c))
	for i, word := range c {
		words[i] = word.key + "=" + word.value
	}
	return strings.Join(words, " ")
}
