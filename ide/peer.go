package ide

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strconv"
	"sync"
)

// pipe carries messages to an editor. What comes back goes to peer.take.
type pipe interface {
	// send hands a message over. answered: what it asked for has been taken, if it was
	// answered at all.
	send(ctx context.Context, msg []byte) (answered bool, err error)
	close()
}

// message is one of JSON-RPC, of any form.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *refusal        `json:"error,omitempty"`
}

// refusal is an error an editor answered with.
type refusal struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (r *refusal) Error() string { return "the editor refused: " + short(r.Message, 300) }

const noMethod = -32601 // of JSON-RPC: there is no such method

// peer is a conversation in JSON-RPC: calls and their answers, and what is told
// unasked.
type peer struct {
	pipe pipe
	told func(method string, params json.RawMessage) // of each notification, one at a time

	mu      sync.Mutex
	next    int
	waiting map[string]chan message
	why     error
	gone    chan struct{} // closed when it is over

	telling sync.Mutex
	asking  chan struct{} // a slot of each request of the editor's that is being answered
}

// maxAsked is how many requests of an editor's are answered at a time; those beyond are
// passed over.
const maxAsked = 8

func newPeer(told func(string, json.RawMessage)) *peer {
	return &peer{told: told, waiting: map[string]chan message{}, gone: make(chan struct{}), asking: make(chan struct{}, maxAsked)}
}

// lose ends the conversation.
func (p *peer) lose(err error) {
	p.mu.Lock()
	first := p.why == nil
	if first {
		p.why = err
		close(p.gone)
	}
	p.mu.Unlock()
	if first {
		p.pipe.close()
	}
}

func (p *peer) lost() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.why
}

// call asks for something and waits for the answer, until ctx ends.
func (p *peer) call(ctx context.Context, method string, params, result any) error {
	p.mu.Lock()
	p.next++
	id := strconv.Itoa(p.next)
	answer := make(chan message, 1)
	p.waiting[id] = answer
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.waiting, id)
		p.mu.Unlock()
	}()
	b, err := json.Marshal(message{Version: "2.0", ID: json.RawMessage(id), Method: method, Params: params})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	sent := make(chan error, 1)
	go func() {
		defer recovered("ask the editor")
		answered, err := p.pipe.send(ctx, b)
		if err == nil && answered {
			err = errUnanswered
		}
		if err != nil {
			sent <- err
		}
	}()
	read := func(m message) error {
		switch {
		case m.Error != nil:
			return m.Error
		case result == nil:
			return nil
		case len(m.Result) == 0 || json.Unmarshal(m.Result, result) != nil:
			return fmt.Errorf("the editor's answer to %s cannot be read", method)
		}
		return nil
	}
	select {
	case m := <-answer:
		return read(m)
	case err := <-sent:
		select {
		case m := <-answer: // it came with the end of what was sent
			return read(m)
		default:
		}
		if why := p.lost(); why != nil {
			return why
		}
		return err
	case <-p.gone:
		return p.lost()
	case <-ctx.Done():
		return ctx.Err()
	}
}

var errUnanswered = errors.New("the editor did not answer")

// notify tells something that needs no answer.
func (p *peer) notify(ctx context.Context, method string, params any) error {
	b, err := json.Marshal(message{Version: "2.0", Method: method, Params: params})
	if err != nil {
		return err
	}
	_, err = p.pipe.send(ctx, b)
	return err
}

// take reads what came: one message or several in a list. What is none is passed over.
func (p *peer) take(b []byte) {
	b = bytes.TrimSpace(b)
	if len(b) > 0 && b[0] == '[' {
		var several []json.RawMessage
		if json.Unmarshal(b, &several) == nil {
			for _, one := range several[:min(len(several), 100)] {
				p.takeOne(one)
			}
		}
		return
	}
	p.takeOne(b)
}

func (p *peer) takeOne(b []byte) {
	var m struct {
		message
		Params json.RawMessage `json:"params"`
	}
	if err := json.Unmarshal(b, &m); err != nil {
		slog.Debug("a message of the editor could not be read", "bytes", len(b))
		return
	}
	switch {
	case m.Method == "":
		p.mu.Lock()
		answer := p.waiting[string(m.ID)]
		delete(p.waiting, string(m.ID))
		p.mu.Unlock()
		if answer != nil {
			answer <- m.message
		}
	case len(m.ID) > 0 && string(m.ID) != "null":
		select {
		case p.asking <- struct{}{}:
			go p.asked(m.ID, m.Method)
		default:
		}
	default:
		p.telling.Lock()
		defer p.telling.Unlock()
		p.told(m.Method, m.Params)
	}
}

// asked answers a request of the editor's: it is told that forge is there, and that it
// does nothing for an editor.
func (p *peer) asked(id json.RawMessage, method string) {
	defer recovered("answer the editor")
	defer func() { <-p.asking }()
	m := message{Version: "2.0", ID: id, Result: json.RawMessage("{}")}
	if method != "ping" {
		m.Result, m.Error = nil, &refusal{noMethod, "there is no such method"}
	}
	b, err := json.Marshal(m)
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), callTime)
	defer cancel()
	if _, err := p.pipe.send(ctx, b); err != nil {
		slog.Debug("the editor got no answer", "err", err)
	}
}

// recovered keeps a crash in a goroutine of a bridge from being the end of forge.
func recovered(what string) {
	if v := recover(); v != nil {
		slog.Error("crashed", "while", what, "panic", v, "stack", string(debug.Stack()))
	}
}
