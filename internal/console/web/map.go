package web

// A wire is a link on the map, whose picture is 960 x 530.
type wire struct {
	Name string
	D    string  // the line, as SVG has it
	X, Y float64 // middle of the plate that bears its figures
	Link map[string]any
}

// wirePlaces are where links run. In this order of databases none crosses another.
var wirePlaces = []wire{
	{Name: "client-yugabyte", D: "M92 195C100 60 220 36 420 36S660 44 738 50", X: 444, Y: 36},
	{Name: "client-pgbouncer", D: "M152 235C222 226 276 150 346 144", X: 252, Y: 188},
	{Name: "client-primary", D: "M152 265L738 265", X: 444, Y: 265},
	{Name: "client-pgpool", D: "M152 295C222 304 276 380 346 386", X: 252, Y: 342},
	{Name: "client-standby", D: "M92 335C100 470 220 494 420 494S660 488 738 482", X: 444, Y: 494},
	{Name: "pgbouncer-yugabyte", D: "M536 122C600 116 660 94 738 86", X: 640, Y: 104},
	{Name: "pgbouncer-primary", D: "M536 168C610 176 660 224 738 234", X: 640, Y: 200},
	{Name: "pgpool-primary", D: "M536 362C610 354 660 306 738 296", X: 640, Y: 330},
	{Name: "pgpool-standby", D: "M536 408C600 414 660 436 738 444", X: 640, Y: 426},
	{Name: "primary-standby", D: "M844 319L844 392", X: 844, Y: 355},
}

// wires are the links that the map has a place for, as the state knows them.
func wires(state any) []wire {
	links := named(state, "links")
	var all []wire
	for _, w := range wirePlaces {
		if link, ok := links[w.Name]; ok {
			w.Link = link
			all = append(all, w)
		}
	}
	return all
}

// A box is a node on the map.
type box struct {
	Name, Title         string
	X, Y, Width, Height float64
	Node                map[string]any
	State               string
	Says                []string
}

var boxPlaces = []box{
	{Name: "client", Title: "client", X: 16, Y: 195, Width: 136, Height: 140},
	{Name: "pgbouncer", Title: "PgBouncer", X: 352, Y: 84, Width: 184, Height: 120},
	{Name: "pgpool", Title: "Pgpool-II", X: 352, Y: 326, Width: 184, Height: 120},
	{Name: "yugabyte", Title: "YugabyteDB", X: 744, Y: 14, Width: 200, Height: 110},
	{Name: "primary", Title: "primary", X: 744, Y: 195, Width: 200, Height: 124},
	{Name: "standby", Title: "standby", X: 744, Y: 398, Width: 200, Height: 126},
}

// boxes are all of the map's: one whose node the state doesn't have is unknown.
func boxes(state any) []box {
	nodes := named(state, "nodes")
	all := make([]box, len(boxPlaces))
	for i, b := range boxPlaces {
		b.Node, b.State = nodes[b.Name], "unknown"
		if s, ok := b.Node["state"].(string); ok {
			b.State = s
		}
		b.Says = nodeSays(b.Node)
		all[i] = b
	}
	return all
}

// named are the members of a list of the state, by name.
func named(state any, list string) map[string]map[string]any {
	all := map[string]map[string]any{}
	of, _ := state.(map[string]any)
	members, _ := of[list].([]any)
	for _, m := range members {
		if member, ok := m.(map[string]any); ok {
			if name, ok := member["name"].(string); ok {
				all[name] = member
			}
		}
	}
	return all
}
