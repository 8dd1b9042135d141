package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"os"

	"forge/agent/config"
	"forge/models"
	"forge/provider"
	"forge/provider/catalog"
	"forge/provider/demo"
	"forge/ui/cli"
	"forge/ui/lang"
)

// openSource opens where models come from; --raw keeps every byte of the wires in
// a file that is private.
func (f *forge) openSource() error {
	var record io.Writer
	if f.flags.Raw != "" {
		w, err := os.OpenFile(f.flags.Raw, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
		if err != nil {
			return fmt.Errorf(lang.T("record the wire: %w"), err)
		}
		if info, err := w.Stat(); err == nil && info.Mode().IsRegular() {
			err = w.Chmod(0o600) // one that was there may have been open to others
			logged("recording not made private", err)
		}
		f.atEnd(func() { w.Close() })
		record = w
	}
	f.source = newSource(f.flags, f.cfg, f.dirs, record)
	return nil
}

// newSource is where models come from by these flags and settings.
func newSource(f cli.Flags, cfg *config.Config, dirs config.Dirs, record io.Writer) *models.Source {
	work := workIn(f.Dir)
	works.add(work)
	o := models.Options{Flag: catalog.Wish{Provider: f.Provider, Model: f.Model, BaseURL: f.BaseURL, KeyEnv: f.KeyEnv, Effort: f.Effort},
		Wire: f.Wire, Headless: f.Headless, Config: cfg, Dirs: dirs, Work: work, Record: record}
	if logsAll() {
		o.Around = func(t http.RoundTripper) http.RoundTripper { return timed{t} }
	}
	return models.New(o)
}

// openModel opens the way to the model. Where there is none, the screen is shown
// all the same and offers ways to one; a headless run fails.
func (f *forge) openModel(ctx context.Context) (provider.Provider, error) {
	if f.flags.Demo {
		return f.openDemo()
	}
	c, note, err := f.source.Choose(ctx)
	if note != "" && (err == nil || !f.flags.Headless) {
		f.notices = append(f.notices, note)
	}
	if err != nil {
		if f.flags.Headless || !offered(err) {
			if note != "" && f.flags.Headless {
				complain(errors.New(note)) // no face comes that would say it
			}
			return nil, err
		}
		if err != catalog.ErrNothing { // what was asked for is not there: say so above the choice
			f.notices = append(f.notices, err.Error())
		}
		f.noModel = err
		return nowhere{err}, nil
	}
	p, err := f.source.Open(c)
	if err != nil {
		return nil, err
	}
	f.choice, f.model = c, c.Model
	slog.Debug("model chosen", "provider", c.Endpoint.Name, "model", c.Model.ID, "wire", c.Endpoint.Wire, "at", provider.Address(c.Endpoint.BaseURL), "why", c.Why, "key_from", c.KeyEnv)
	return models.Heard(p, func() { f.source.Remember(c) }), nil
}

// offered reports whether the screen opens all the same and offers ways to a model: not
// where what a person named is wrong.
func offered(err error) bool {
	return errors.Is(err, catalog.ErrNothing) || errors.Is(err, catalog.ErrNoKey) || errors.Is(err, models.ErrRemembered)
}

func (f *forge) openDemo() (provider.Provider, error) {
	script := demo.Builtin()
	if f.flags.DemoFile != "" {
		r, err := os.Open(f.flags.DemoFile)
		if err != nil {
			return nil, fmt.Errorf(lang.T("play a script: %w"), err)
		}
		defer r.Close()
		if script, err = demo.Parse(r); err != nil {
			return nil, fmt.Errorf(lang.T("read %s: %w"), f.flags.DemoFile, err)
		}
	}
	f.model = demo.Model()
	pace := -1.0
	switch {
	case f.flags.Headless:
		pace = 0 // nobody watches it being written
	case f.flags.DemoFile == "":
		f.notices = append(f.notices, lang.T("a demo: a script answers, not a model, and the same whatever you write"))
	}
	return provider.WithRetry(demo.New(script, demo.Options{Pace: pace}), provider.DefaultAttempts), nil
}

// nowhere is the provider while there is none.
type nowhere struct{ err error }

func (n nowhere) Stream(context.Context, provider.Request) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		yield(nil, &provider.Error{Kind: provider.KindAuth, Message: n.err.Error(), Hint: lang.N("choose a model with /model"), NoRetry: true})
	}
}
