package wording

import "testing"

func TestUnknown(t *testing.T) {
	const all = "there are client-primary, client-standby, pgbouncer-primary"
	known := []string{"client-primary", "client-standby", "pgbouncer-primary"}
	cases := []struct{ name, asked, want string }{
		{"a letter dropped", "client-primry", `unknown link "client-primry": did you mean client-primary? ` + all},
		{"capitals", "Client-Standby", `unknown link "Client-Standby": did you mean client-standby? ` + all},
		{"only begun", "pgb", `unknown link "pgb": did you mean pgbouncer-primary? ` + all},
		{"first word of several", "client",
			`unknown link "client": did you mean one of client-primary, client-standby? ` + all},
		{"nothing near", "mysql", `unknown link "mysql": ` + all},
		{"empty", "", `unknown link "": ` + all},
	}
	if got := Unknown("comparison", "a", nil).Error(); got != `unknown comparison "a": there is none` {
		t.Errorf("where there is none: %s", got)
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := Unknown("link", c.asked, known).Error(); got != c.want {
				t.Errorf("\ngot  %s\nwant %s", got, c.want)
			}
		})
	}
}
