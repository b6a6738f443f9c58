package link

import (
	"errors"
	"strconv"
	"strings"
)

// conninfo is a libpq connection string, cut into its keywords; each keeps its value as it was written, quotes and
// all, so that what isn't changed stays as it is.
type conninfo []struct{ key, value string }

// parseConninfo reads the keyword = value form; URIs aren't for us.
func parseConninfo(text string) (conninfo, error) {
	var info conninfo
	for rest := strings.TrimSpace(text); rest != ""; rest = strings.TrimSpace(rest) {
		key, after, ok := strings.Cut(rest, "=")
		key = strings.TrimSpace(key)
		if !ok || key == "" || strings.ContainsAny(key, " :/'") {
			return nil, errors.New("it isn't of the form keyword=value")
		}
		after = strings.TrimLeft(after, " ")
		end, err := valueEnd(after)
		if err != nil {
			return nil, err
		}
		info = append(info, struct{ key, value string }{key, after[:end]})
		rest = after[end:]
	}
	return info, nil
}

// valueEnd returns the length of the value that text begins with: up to a blank, or to the closing quote; a
// backslash takes its meaning from the character after it.
func valueEnd(text string) (int, error) {
	quoted := strings.HasPrefix(text, "'")
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case quoted && i > 0 && text[i] == '\'':
			return i + 1, nil
		case !quoted && text[i] == ' ':
			return i, nil
		}
	}
	if quoted {
		return 0, errors.New("a quote isn't closed")
	}
	return len(text), nil
}

// leadsTo reports whether the string has that host and port.
func (c conninfo) leadsTo(host string, port int) bool {
	return c.get("host") == host && c.get("port") == strconv.Itoa(port)
}

func (c conninfo) get(key string) string {
	for _, pair := range c {
		if pair.key == key {
			return strings.Trim(pair.value, "'")
		}
	}
	return ""
}

// withAddress returns the string with another host and port, all else as it was.
func (c conninfo) withAddress(host string, port int) string {
	words := []string{"host=" + host, "port=" + strconv.Itoa(port)}
	for _, pair := range c {
		if pair.key != "host" && pair.key != "hostaddr" && pair.key != "port" {
			words = append(words, pair.key+"="+pair.value)
		}
	}
	return strings.Join(words, " ")
}
