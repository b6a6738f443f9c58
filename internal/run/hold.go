package run

// Hold keeps runs out of results while something else changes the lab; what names it ("a reset"). Call free when
// done. The error says who was first.
func Hold(results, what string) (free func(), err error) {
	f, err := takeLock(results, what)
	if err != nil {
		return nil, err
	}
	return func() { f.Close() }, nil
}
