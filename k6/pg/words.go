package pg

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// words are those of libpq's connection settings that pgx doesn't know: it would send them to the server, which would
// take them for settings of its own and refuse the connection. Each has the connection do what was asked, or says that
// it can't. Those of TCP are dialAsLibpq's. The list is that of
// https://www.postgresql.org/docs/18/libpq-connect.html#LIBPQ-PARAMKEYWORDS less what pgx knows.
var words = map[string]func(config *pgconn.Config, value string) error{
	"client_encoding": func(config *pgconn.Config, value string) error {
		config.RuntimeParams["client_encoding"] = "UTF8"
		return only("UTF8", "UTF-8", "UNICODE", "auto")(config, value)
	},
	"fallback_application_name": func(config *pgconn.Config, value string) error {
		if config.RuntimeParams["application_name"] == "" {
			config.RuntimeParams["application_name"] = value
		}
		return nil
	},
	"hostaddr":                 connectTo,
	"gssdelegation":            only("0"),
	"gssencmode":               only("disable", "prefer"),
	"gsslib":                   only(),
	"load_balance_hosts":       only("disable"),
	"oauth_client_id":          only(),
	"oauth_client_secret":      only(),
	"oauth_issuer":             only(),
	"oauth_scope":              only(),
	"replication":              only("false", "off", "no", "0"),
	"requirepeer":              only(),
	"requiressl":               only("0"),
	"scram_client_key":         only(),
	"scram_server_key":         only(),
	"ssl_max_protocol_version": only(),
	"ssl_min_protocol_version": only("TLSv1.2"),
	"sslcompression":           only("0"),
	"sslcrl":                   only(),
	"sslcrldir":                only(),
	"sslkeylogfile":            only(),
}

// only takes the values that change nothing, and refuses others.
func only(values ...string) func(*pgconn.Config, string) error {
	return func(_ *pgconn.Config, value string) error {
		same := func(known string) bool { return strings.EqualFold(value, known) }
		switch {
		case value == "" || slices.ContainsFunc(values, same):
			return nil
		case len(values) == 0:
			return errors.New("k6/x/pg can't do this: leave it out")
		}
		return fmt.Errorf("k6/x/pg can't do %q: leave it out, or say %s", value, strings.Join(values, " or "))
	}
}

// connectTo has the connection go to an address, whatever its host is called.
func connectTo(config *pgconn.Config, address string) error {
	if strings.Contains(address, ",") {
		return errors.New("k6/x/pg takes one address: put several into host")
	}
	for _, f := range config.Fallbacks {
		if f.Host != config.Host {
			return errors.New("k6/x/pg takes it beside one host")
		}
		f.Host = address
	}
	config.Host = address
	return nil
}

// obey takes libpq's words out of what is sent to the server, and does what they say.
func obey(config *pgconn.Config) error {
	for _, name := range slices.Sorted(maps.Keys(words)) {
		value, is := config.RuntimeParams[name]
		if !is {
			continue
		}
		delete(config.RuntimeParams, name)
		if err := words[name](config, value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
