package suggest

import "testing"

func TestUnknown(t *testing.T) {
	known := []string{"client-primary", "client-standby", "pgbouncer-primary"}
	cases := []struct{ name, asked, want string }{
		{"a letter dropped", "client-primry", `unknown link "client-primry": did you mean client-primary? there are client-primary, client-standby, pgbouncer-primary`},
		{"capitals", "Client-Standby", `unknown link "Client-Standby": did you mean client-standby? there are client-primary, client-standby, pgbouncer-primary`},
		{"only begun", "pgb", `unknown link "pgb": did you mean pgbouncer-primary? there are client-primary, client-standby, pgbouncer-primary`},
		{"first word of several", "client", `unknown link "client": did you mean one of client-primary, client-standby? there are client-primary, client-standby, pgbouncer-primary`},
		{"nothing near", "mysql", `unknown link "mysql": there are client-primary, client-standby, pgbouncer-primary`},
		{"empty", "", `unknown link "": there are client-primary, client-standby, pgbouncer-primary`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := Unknown("link", c.asked, known).Error(); got != c.want {
				t.Errorf("\ngot  %s\nwant %s", got, c.want)
			}
		})
	}
}
