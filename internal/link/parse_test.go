package link

import (
	"strings"
	"testing"
)

func TestMilliseconds(t *testing.T) {
	cases := []struct {
		text  string
		want  int
		wrong string
	}{
		{"10", 10, ""},
		{"10ms", 10, ""},
		{"0.01s", 10, ""},
		{"0", 0, ""},
		{"1s", 1000, ""},
		{"10m", 600_000, ""},
		{"+5ms", 5, ""},
		{"1.5ms", 0, "1.5ms isn't a whole number of milliseconds, and toxiproxy knows no others: say 1ms or 2ms"},
		{"1.5", 0, "1.5 isn't a whole number of milliseconds"},
		{"100us", 0, "100us isn't a whole number of milliseconds, and toxiproxy knows no others: say 0ms or 1ms"},
		{"-5ms", 0, "-5ms is negative"},
		{"11m", 0, "11m is more than 10 minutes, the most a link may add; cut it instead"},
		{"1e9", 0, `"1e9" is no latency: say 10ms, 10 or 0.01s`},
		{"10 ms", 0, `"10 ms" is no latency`},
		{"10msec", 0, `"10msec" is no latency`},
		{"", 0, `"" is no latency`},
	}
	for _, c := range cases {
		t.Run(c.text, func(t *testing.T) {
			got, err := parseMS(c.text)
			if c.wrong == "" && (err != nil || got != c.want) {
				t.Errorf("got %d, %v; want %d", got, err, c.want)
			}
			if c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
				t.Errorf("\ngot  %v\nwant %s", err, c.wrong)
			}
		})
	}
}

func TestConninfo(t *testing.T) {
	cases := []struct{ name, text, want, wrong string }{
		{"the lab's", "host=primary port=5432 user=replicator application_name=standby sslmode=disable",
			"host=h port=1 user=replicator application_name=standby sslmode=disable", ""},
		{
			"as pg_basebackup -R writes it",
			`user=replicator passfile='/var/lib/my dir/.pgpass' host=primary port=5432 sslmode=prefer`,
			`host=h port=1 user=replicator passfile='/var/lib/my dir/.pgpass' sslmode=prefer`,
			"",
		},
		{
			"quotes and blanks",
			`user = 'it\'s' hostaddr=10.0.0.1  options='-c a=b'`,
			`host=h port=1 user='it\'s' options='-c a=b'`,
			"",
		},
		{"empty value", `user='' host=primary`, `host=h port=1 user=''`, ""},
		{"URI", "postgresql://replicator@primary/", "", "it isn't of the form keyword=value"},
		{"open quote", "user='rep host=primary", "", "it isn't of the form keyword=value"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			info, err := parseConninfo(c.text)
			if c.wrong != "" {
				if err == nil || err.Error() != c.wrong {
					t.Fatalf("got %v, want %s", err, c.wrong)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := info.with(address{"h", "1"}).String()
			if got != c.want {
				t.Errorf("\ngot  %s\nwant %s", got, c.want)
			}
			if again, err := parseConninfo(got); err != nil || again.address() != (address{"h", "1"}) {
				t.Errorf("read again: %v, %v", again, err)
			}
		})
	}
}
