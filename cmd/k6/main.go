// Command k6 is k6 with the module k6/x/pg and the output live.
package main

import (
	"go.k6.io/k6/v2/cmd"

	_ "pooler-lab/k6/live"
	_ "pooler-lab/k6/pg"
)

func main() {
	cmd.Execute()
}
