//go:build race

package testkit

// racing says that the tests run under Go's race detector.
const racing = true
