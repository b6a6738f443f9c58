package link

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Started returns when toxiproxy started. Whatever was set on links before is gone, for it keeps nothing.
func (c *Client) Started(ctx context.Context) (time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, readWait)
	defer cancel()
	text, err := c.send(ctx, http.MethodGet, "/metrics", nil)
	if err != nil {
		return time.Time{}, err
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if value, found := strings.CutPrefix(lines.Text(), "process_start_time_seconds "); found {
			seconds, err := strconv.ParseFloat(value, 64)
			if err != nil {
				return time.Time{}, fmt.Errorf("read when toxiproxy started: %w", err)
			}
			return time.UnixMilli(int64(seconds * 1000)), nil
		}
	}
	return time.Time{}, errors.New("toxiproxy doesn't say when it started: its metrics have no process_start_time_seconds")
}
