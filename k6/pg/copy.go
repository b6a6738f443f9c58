package pg

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/grafana/sobek"
	"github.com/jackc/pgx/v5/pgconn"
	"go.k6.io/k6/v2/js/common"
)

// copied is what a COPY has moved.
type copied struct {
	Rows  int64 `js:"rows"`
	Bytes int64 `js:"bytes"` // of data, without the protocol's own
}

// counter counts the bytes that are written to it, and keeps none.
type counter int64

// Write counts.
func (c *counter) Write(buf []byte) (int, error) {
	*c += counter(len(buf))
	return len(buf), nil
}

// copyOut is client.copyOut(sql): it reads what COPY ... TO STDOUT sends.
func (c *client) copyOut(call sobek.FunctionCall) sobek.Value {
	ctx, s := c.requireSession("copyOut()")
	st := c.statementOf(call.Argument(0))
	var data counter
	return c.copyOver(ctx, s, st, copyOut, func() (pgconn.CommandTag, int64, error) {
		tag, err := s.conn.CopyTo(background, &data, st.sql)
		return tag, int64(data), err
	})
}

// copyIn is client.copyIn(sql, data, options): it sends data, text or bytes, to COPY ... FROM
// STDIN, as often as the option repeat says.
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
	source := &repeated{piece: piece, left: options.Repeat}
	return c.copyOver(ctx, s, st, copyIn, func() (pgconn.CommandTag, int64, error) {
		tag, err := s.conn.CopyFrom(background, source, st.sql)
		return tag, source.sent, err
	})
}

// copyOver runs one COPY and records it.
func (c *client) copyOver(ctx context.Context, s *session, st *statement, direction copyKind,
	run func() (pgconn.CommandTag, int64, error),
) sobek.Value {
	if err := st.wantsCopy(direction); err != nil {
		c.fail(ctx, st.tagSet, "copy "+direction.String(), err)
	}
	var tag pgconn.CommandTag
	var size int64
	x, err := c.exchange(ctx, s, st.tagSet, func() (err error) {
		tag, size, err = run()
		// Data follows the COPY at once: only the end of it all is waited for, even
		// where the server's invitation is read in between.
		s.wire.oneTrip(s.counted)
		return err
	})
	if err != nil {
		c.fail(ctx, st.tagSet, "copy "+direction.String(), err)
	}
	c.record(x, c.metrics.Copy, x.tags.With("direction", direction.String()), tag.RowsAffected(), tag, 0)
	return c.vu.Runtime().ToValue(copied{tag.RowsAffected(), size})
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
	sent  int64
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
	r.sent += int64(n)
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}
