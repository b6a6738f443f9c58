package serve

import (
	"fmt"
	"os"
	"strconv"

	"pooler-lab/internal/data"
)

// wantedScale returns LAB_SCALE.
func wantedScale() (int, error) {
	text := os.Getenv("LAB_SCALE")
	scale, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("LAB_SCALE is %q: give a whole number in .env, such as 10", text)
	}
	return scale, data.CheckScale(scale)
}
