package console

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// An httpError is a refusal: HTTP's status for it, and a sentence that says what is wrong and what would be right.
type httpError struct {
	status int
	text   string
}

func (e *httpError) Error() string { return e.text }

// badRequest is the httpError of a request that asks for something that can't be, nil where err is.
func badRequest(err error) error {
	if err == nil {
		return nil
	}
	return &httpError{http.StatusBadRequest, err.Error()}
}

// statusOf is HTTP's status for an error: 502 where a part of the lab failed.
func statusOf(err error) int {
	var p *httpError
	if errors.As(err, &p) {
		return p.status
	}
	return http.StatusBadGateway
}

// writeError answers with an error, as JSON.
func writeError(w http.ResponseWriter, err error) {
	writeJSON(w, statusOf(err), map[string]string{"error": err.Error()})
}

// writeJSON answers with JSON.
func writeJSON(w http.ResponseWriter, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n')) // whoever asked has gone
}

// readJSON reads the JSON body of a request into v and refuses fields that v doesn't have.
func readJSON(r *http.Request, v any) error {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return badRequest(fmt.Errorf("read the request: %w", err))
	}
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}")
	}
	return badRequest(decode(text, v))
}

// decode reads JSON into v and refuses fields that v doesn't have. What the JSON leaves out stays as it is.
func decode(text []byte, v any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(v); err != nil {
		return fmt.Errorf("the request isn't understood: %s", plainly(err))
	}
	return nil
}

// plainly says what is wrong with JSON without the names of Go's types.
func plainly(err error) string {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		wanted := map[string]string{
			"int":     "a whole number",
			"float64": "a number",
			"bool":    "true or false",
			"string":  "a text",
		}[kind.Type.Kind().String()]
		if wanted == "" {
			wanted = "something else"
		}
		return fmt.Sprintf("%s has to be %s, not a %s", kind.Field, wanted, kind.Value)
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}
