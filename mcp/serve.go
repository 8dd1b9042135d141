package mcp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"forge/tools"
)

// Offer is one tool of ours that clients elsewhere may call. Reads says that it
// changes nothing: a hint for the client's own questions. What may run the guard
// alone decides, call by call.
type Offer struct {
	Name  string // of an active tool behind the door
	Title string
	Reads bool
}

// ServeOptions is what a Service needs.
type ServeOptions struct {
	Exec         *tools.Executor // the door every call goes through, with its guard
	Offers       []Offer         // clients see them sorted by name
	Instructions string          // what a client's model is told of the server
	Version      string
	Log          *slog.Logger // one line a call, and what was refused; nil: none
}

// A Service serves our tools to Model Context Protocol clients, on streams
// (ServeStream) and over HTTP (ServeHTTP), in both eras of the protocol. It holds no
// state of a client; calls of all of them go through one door.
type Service struct {
	o      ServeOptions
	log    *slog.Logger
	engine *serverEngine
	slots  chan struct{}
	grace  time.Duration // lastAnswers
	id     string        // of this run: names of kept output must not meet those of another

	mu      sync.Mutex
	n       int64                        // calls so far
	running map[int64]context.CancelFunc // nil: no more calls
	calls   sync.WaitGroup
}

const (
	// atOnce is how many calls run at a time, those of all clients together; more wait.
	atOnce = 16
	// maxRequest is how large one message of a client may be, in bytes. A file that is
	// written comes in one.
	maxRequest = 8 << 20
	// listFresh is how long a client may keep what it was told of the tools, which do
	// not change while we serve.
	listFresh = 5 * time.Minute
)

// NewService returns a Service of these tools.
func NewService(o ServeOptions) (*Service, error) {
	s := &Service{o: o, log: o.Log, slots: make(chan struct{}, atOnce), grace: lastAnswers, id: rand.Text()[:8], running: map[int64]context.CancelFunc{}}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.engine = newServerEngine(o.Version, o.Instructions, s.log)
	for _, offer := range o.Offers {
		t, ok := o.Exec.Tools.Get(offer.Name)
		if !ok {
			return nil, fmt.Errorf("serve tools: there is no tool %s", offer.Name)
		}
		if err := s.engine.offer(t.Spec(), offer, s.call); err != nil {
			return nil, fmt.Errorf("serve tools: %w", err)
		}
	}
	return s, nil
}

// Close ends the calls that still run, whoever asked for them, and waits until they
// have; a command one started must not outlive us. No call begins after it.
func (s *Service) Close() {
	s.mu.Lock()
	for _, cancel := range s.running {
		cancel()
	}
	s.running = nil
	s.mu.Unlock()
	s.calls.Wait()
}

// begin counts a call in.
func (s *Service) begin(ctx context.Context) (_ context.Context, n int64, end func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil {
		return nil, 0, nil, false
	}
	ctx, cancel := context.WithCancel(ctx)
	s.n++
	n = s.n
	s.running[n] = cancel
	s.calls.Add(1)
	return ctx, n, func() {
		cancel()
		s.mu.Lock()
		delete(s.running, n)
		s.mu.Unlock()
		s.calls.Done()
	}, true
}

// call runs one call of a client. progress may be nil; it is not called after call
// has returned.
func (s *Service) call(ctx context.Context, name string, args json.RawMessage, progress func(Progress)) tools.Result {
	began := time.Now()
	ctx, n, end, ok := s.begin(ctx)
	if !ok {
		return tools.Result{Text: "not run: the server is leaving", IsError: true}
	}
	defer end()
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return tools.Result{Text: "cancelled before it began", IsError: true}
	}
	if len(args) == 0 || string(args) == "null" {
		args = json.RawMessage("{}") // a tool without arguments may be called without
	}
	c := tools.Call{ID: "served-" + s.id + "-" + strconv.FormatInt(n, 10), Name: name, Input: string(args)}
	inv, err := s.o.Exec.Prepare(ctx, c)
	if err != nil {
		s.log.Info("call", "tool", name, "failed", clip(err.Error(), 200), "ms", time.Since(began).Milliseconds())
		return tools.Result{Text: err.Error(), IsError: true}
	}
	var w tools.Watch
	if progress != nil {
		l := newLive(progress)
		defer l.stop()
		w.Out = l
	}
	r := s.o.Exec.Run(ctx, c, inv, w).Result
	line := []any{"tool", name, "what", clip(inv.Effect.Title, 200), "ms", time.Since(began).Milliseconds(), "bytes", len(r.Text)}
	switch {
	case r.Refused:
		s.log.Warn("call refused", append(line, "why", clip(r.Text, 300))...)
	case r.IsError:
		s.log.Info("call", append(line, "failed", clip(r.Text, 200))...)
	default:
		s.log.Info("call", line...)
	}
	return r
}

// ServeStream answers one client that writes lines to in and reads lines from out,
// until in or ctx ends. It closes neither.
func (s *Service) ServeStream(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := &answers{w: out, open: map[string]bool{}, none: make(chan struct{}, 1)}
	pr, pw := io.Pipe()
	go func() {
		err := errors.New("reading from the client crashed")
		defer func() { pw.CloseWithError(err) }()
		defer recovered("read from a client")
		err = s.admit(ctx, in, pw, answers)
	}()
	err := s.engine.serveLines(ctx, pr, answers)
	if errors.Is(err, io.EOF) || ctx.Err() != nil {
		return nil
	}
	return err
}
