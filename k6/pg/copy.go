package pg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/grafana/sobek"
	"github.com/jackc/pgx/v5/pgconn"
	"go.k6.io/k6/v2/js/common"
)

// copyOut is client.copyOut(sql): it reads what COPY ... TO STDOUT sends, and returns the number of rows.
func (c *client) copyOut(call sobek.FunctionCall) sobek.Value {
	ctx, s := c.requireSession("copyOut()")
	st := c.statementOf(call.Argument(0))
	return c.copyOver(ctx, s, st, copiesOut, func() (pgconn.CommandTag, error) {
		return s.conn.CopyTo(background, io.Discard, st.sql)
	})
}

// copyIn is client.copyIn(sql, data, options): it sends data, text or bytes, to COPY ... FROM STDIN, as often as the
// option repeat says, and returns the number of rows.
func (c *client) copyIn(call sobek.FunctionCall) sobek.Value {
	ctx, s := c.requireSession("copyIn()")
	st := c.statementOf(call.Argument(0))
	options := struct {
		Repeat int64 `js:"repeat"`
	}{1}
	if !common.IsNullish(call.Argument(2)) {
		c.instance.options("copyIn", call.Argument(2), &options)
	}
	piece, err := bytesOf(call.Argument(1))
	if err != nil {
		c.throw(fmt.Errorf("copyIn() wants text or bytes as data: %w", err))
	}
	if options.Repeat < 0 {
		c.throw(errors.New("copyIn() wants repeat not below 0"))
	}
	return c.copyOver(ctx, s, st, copiesIn, func() (pgconn.CommandTag, error) {
		return s.conn.CopyFrom(background, &repeated{piece: piece, left: options.Repeat}, st.sql)
	})
}

// copyOver runs one COPY and records it.
func (c *client) copyOver(ctx context.Context, s *session, st *statement, direction string,
	run func() (pgconn.CommandTag, error),
) sobek.Value {
	if err := st.wantsCopy(direction); err != nil {
		c.fail(ctx, st.tagSet, "copy "+direction, err)
	}
	var tag pgconn.CommandTag
	x, err := c.exchange(ctx, s, st.tagSet, func() (err error) {
		tag, err = run()
		// Data follows the COPY at once: only the end of it all is waited for, even
		// where the server's invitation is read in between.
		s.wire.oneTrip(s.counted)
		return err
	})
	if err != nil {
		c.fail(ctx, st.tagSet, "copy "+direction, err)
	}
	c.record(x, c.metrics.Copy, x.tags.With("direction", direction), tag.RowsAffected(), tag, 0)
	return c.vu.Runtime().ToValue(tag.RowsAffected())
}

// The directions of a COPY over the connection, as tags have them.
const (
	copiesIn  = "in"  // COPY ... FROM STDIN
	copiesOut = "out" // COPY ... TO STDOUT
)

var (
	copyForms = map[string]string{copiesIn: "COPY ... FROM STDIN", copiesOut: "COPY ... TO STDOUT"}
	copyCalls = map[string]string{copiesIn: "copyIn()", copiesOut: "copyOut()"}
)

// copyStatement matches a COPY over the connection. STDIN and STDOUT mean the same to PostgreSQL.
var copyStatement = regexp.MustCompile(`(?i)(?:^|;)\s*copy\b[^;]*\b(from|to)\s+std(?:in|out)\b`)

// copyOf returns the direction of the COPY in an SQL text, "" where there is none, and whether there are other
// statements beside it.
func copyOf(sql string) (direction string, beside bool) {
	sql = strings.ToLower(bare(sql))
	found := copyStatement.FindStringSubmatch(sql)
	if found == nil {
		return "", false
	}
	direction = copiesOut
	if found[1] == "from" {
		direction = copiesIn
	}
	return direction, strings.Contains(strings.Trim(sql, "; \t\r\n"), ";")
}

// wantsCopy returns an error unless the statement is one COPY of that direction.
func (st *statement) wantsCopy(direction string) error {
	switch {
	case st.copies == "":
		return fmt.Errorf("%s wants one %s: for other statements use exec() or query()", copyCalls[direction],
			copyForms[direction])
	case st.copies != direction:
		return fmt.Errorf("%s wants one %s: for %s use %s", copyCalls[direction], copyForms[direction],
			copyForms[st.copies], copyCalls[st.copies])
	case st.beside:
		return fmt.Errorf("%s wants one %s, and no other statements", copyCalls[direction], copyForms[direction])
	}
	return nil
}

// withoutCopy returns an error where COPY's data has nowhere to come from, or to go to: the server would wait for it,
// and Pgpool-II closes the connection.
func (st *statement) withoutCopy() error {
	if st.copies == "" {
		return nil
	}
	return fmt.Errorf("for %s use %s", copyForms[st.copies], copyCalls[st.copies])
}

// bytesOf returns the bytes of text, of an ArrayBuffer or of an array over one.
func bytesOf(value sobek.Value) ([]byte, error) {
	if text, ok := value.(sobek.String); ok {
		data, err := textOf(text)
		return []byte(data), err
	}
	switch data := exported(value).(type) {
	case []byte:
		return data, nil
	case sobek.ArrayBuffer:
		return data.Bytes(), nil
	}
	return nil, fmt.Errorf("data is text or bytes, not %s", value)
}

// repeated reads the same bytes several times.
type repeated struct {
	piece []byte
	at    int   // in the piece
	left  int64 // times, the one under way included
}

// Read reads on in the piece, and in the next ones.
func (r *repeated) Read(buf []byte) (n int, err error) {
	for n < len(buf) && r.left > 0 && len(r.piece) > 0 {
		read := copy(buf[n:], r.piece[r.at:])
		n += read
		if r.at += read; r.at == len(r.piece) {
			r.at = 0
			r.left--
		}
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}
