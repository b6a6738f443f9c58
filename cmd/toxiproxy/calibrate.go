package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"time"

	"github.com/Shopify/toxiproxy/v2"

	"pooler-lab/internal/wan"
)

// What a link is calibrated with: round trips so long, so many of each, each a while after the one before.
var told = []time.Duration{time.Millisecond, 4 * time.Millisecond, 16 * time.Millisecond}

const (
	samples = 60
	apart   = time.Millisecond
)

// calibrate measures how much later than it is told a link answers that nobody else uses, and has all links answer that
// much earlier from now on: the round trip is then what is set, the proxy's own hop included.
func calibrate(server *toxiproxy.ApiServer) (rounds []wan.Round, err error) {
	echo, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	defer echo.Close()
	go answer(echo)
	for _, one := range told {
		took, err := quickly(server, echo.Addr().String(), one)
		if err != nil {
			return nil, fmt.Errorf("calibrate: %w", err)
		}
		rounds = append(rounds, wan.Round{Told: one, Late: took - one})
	}
	wan.Early(rounds...)
	return rounds, nil
}

// answer sends back what each connection sends.
func answer(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() { _, _ = io.Copy(conn, conn); conn.Close() }()
	}
}

// quickly is what a byte takes over a link with that round trip to an echo and back where nothing holds it up: the 5th
// percentile of all samples, since a busy machine adds to most of them.
func quickly(server *toxiproxy.ApiServer, echo string, round time.Duration) (time.Duration, error) {
	l, err := newLink(server, "calibration", "127.0.0.1:0", echo, round/2)
	if err != nil {
		return 0, err
	}
	defer func() { _ = errors.Join(l.enable(false), server.Collection.Remove("calibration")) }()
	if err := l.enable(true); err != nil {
		return 0, err
	}
	conn, err := net.Dial("tcp", l.proxy.Listen)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		return 0, err
	}
	var all []time.Duration
	one := make([]byte, 1)
	for range samples {
		time.Sleep(apart)
		begun := time.Now()
		_, errSent := conn.Write(one)
		_, errBack := io.ReadFull(conn, one)
		if err := errors.Join(errSent, errBack); err != nil {
			return 0, err
		}
		all = append(all, time.Since(begun))
	}
	slices.Sort(all)
	return all[len(all)/20], nil
}
