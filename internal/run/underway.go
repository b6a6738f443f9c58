package run

// UnderWay returns what is measuring into results just now ("lesson 00-tour"), not ok where nothing is.
func UnderWay(results string) (what string, ok bool) {
	by, ok, err := whoHolds(results)
	if err != nil || !ok {
		return "", false
	}
	if by.What == "" { // it has only just begun
		return "a lesson", true
	}
	return by.What, true
}
