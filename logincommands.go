package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/charmbracelet/x/term"

	"forge/provider/catalog"
	"forge/ui/cli"
	"forge/ui/lang"
	screens "forge/ui/terminal"
)

// loginCommands is what forge login and forge logout need.
func loginCommands() cli.LoginOptions {
	o := cli.LoginOptions{
		List: func(f cli.Flags) ([]cli.Login, error) {
			s, err := speechHere(f)
			if err != nil {
				return nil, err
			}
			var out []cli.Login
			for _, l := range s.logins() {
				out = append(out, cli.Login{Name: l.endpoint.Name, Title: l.endpoint.Title, Env: firstText(l.endpoint.KeyEnv...), From: l.from(), InEnv: l.env, Kept: l.kept})
			}
			return out, nil
		},
		Find: func(f cli.Flags, word string) (name, title string, err error) {
			s, err := speechHere(f)
			if err != nil {
				return "", "", err
			}
			l, err := s.loginOf(word)
			return l.endpoint.Name, l.endpoint.Title, err
		},
		In: func(ctx context.Context, f cli.Flags, n cli.NewLogin) ([]string, error) {
			s, err := speechHere(f)
			if err != nil {
				return nil, err
			}
			return s.logIn(ctx, n)
		},
		Out: func(f cli.Flags, name string) ([]string, error) {
			s, err := speechHere(f)
			if err != nil {
				return nil, err
			}
			l, err := s.loginOf(name)
			if err != nil {
				return nil, err
			}
			return s.logOut(l)
		},
	}
	if term.IsTerminal(os.Stdin.Fd()) {
		o.Secret = askHidden
	}
	return o
}

func speechHere(f cli.Flags) (*speech, error) {
	dirs, cfg, err := settings(".")
	if err != nil {
		return nil, err
	}
	return newSpeech(f, cfg, dirs, nil), nil
}

// logIn tries a key that was given in a shell and keeps it. An endpoint by its address is
// what forge begins with from now on: nothing else names it.
func (s *speech) logIn(ctx context.Context, n cli.NewLogin) ([]string, error) {
	e, err := s.toLogIn(n.Name)
	if err != nil {
		return nil, err
	}
	key, err := keyFor(e, n.Key)
	if err != nil {
		return nil, err
	}
	model := ""
	if s.flags.Model != "" {
		model = catalog.ResolveModel(s.flags.Model, e.Name).ID
	}
	c, doubt := catalog.Choice{Endpoint: e, Key: key}, lang.T("it was not tried")
	if !n.Untried {
		if c, doubt, err = s.try(ctx, e, model, key); err != nil {
			return nil, fmt.Errorf(lang.T("%w; nothing is kept (--no-check keeps it untried)"), err)
		}
	}
	where, err := s.keep(c.Endpoint, key)
	if err != nil {
		return nil, err
	}
	if unnamed(e.Name) && c.Model.ID != "" {
		s.remember(c)
	}
	return keptWords(c.Endpoint, where, doubt), nil
}

// toLogIn is the endpoint of a name, or of the address in the flags.
func (s *speech) toLogIn(name string) (catalog.Endpoint, error) {
	if name == "" {
		return s.at(s.flags.BaseURL, s.flags.Wire)
	}
	l, err := s.loginOf(name)
	return l.endpoint, err
}

// askHidden asks on the terminal for a line that is not shown, not even one typed ahead
// of the question. Whatever ends the wait, the terminal shows what is typed again.
func askHidden(ctx context.Context, prompt string) (string, error) {
	hide := screens.Hide(os.Stdin)
	if hide == nil {
		return "", errors.New(lang.T("the key cannot be hidden here: give it through a pipe"))
	}
	hide(true)
	defer hide(false)
	fmt.Fprint(os.Stderr, prompt)
	defer fmt.Fprintln(os.Stderr)
	type read struct {
		line string
		err  error
	}
	lines := make(chan read)
	over := make(chan struct{})
	defer close(over)
	go func() {
		for in := bufio.NewReader(os.Stdin); ; {
			line, err := in.ReadString('\n')
			select {
			case lines <- read{line, err}:
			case <-over:
				return
			}
			if err != nil {
				return
			}
		}
	}()
	text := ""
	var rest <-chan time.Time // of a key that was pasted with line ends in it: the shell would run it
	for {
		select {
		case r := <-lines:
			if text += r.line; r.err != nil {
				if errors.Is(r.err, io.EOF) {
					r.err = nil
				}
				return text, r.err
			}
			rest = time.After(pasteRest)
		case <-rest:
			return text, nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// pasteRest is how long more of a pasted key is waited for.
const pasteRest = 150 * time.Millisecond
