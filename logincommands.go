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

	"forge/models"
	"forge/provider/catalog"
	"forge/ui/cli"
	"forge/ui/lang"
	screens "forge/ui/terminal"
)

// loginCommands is what forge login and forge logout need.
func loginCommands() cli.LoginOptions {
	o := cli.LoginOptions{
		List: func(f cli.Flags) ([]cli.Login, error) {
			s, err := sourceHere(f)
			if err != nil {
				return nil, err
			}
			var out []cli.Login
			for _, l := range s.Logins() {
				out = append(out, cli.Login{Name: l.Endpoint.Name, Title: l.Endpoint.Title, Env: firstText(l.Endpoint.KeyEnv...), From: l.From(), InEnv: l.Env, Kept: l.Kept})
			}
			return out, nil
		},
		Find: func(f cli.Flags, word string) (name, title string, err error) {
			s, err := sourceHere(f)
			if err != nil {
				return "", "", err
			}
			l, err := s.LoginOf(word)
			return l.Endpoint.Name, l.Endpoint.Title, err
		},
		In: func(ctx context.Context, f cli.Flags, n cli.NewLogin) ([]string, error) {
			s, err := sourceHere(f)
			if err != nil {
				return nil, err
			}
			return logIn(ctx, s, f, n)
		},
		Out: func(f cli.Flags, name string) ([]string, error) {
			s, err := sourceHere(f)
			if err != nil {
				return nil, err
			}
			l, err := s.LoginOf(name)
			if err != nil {
				return nil, err
			}
			return s.LogOut(l)
		},
	}
	if term.IsTerminal(os.Stdin.Fd()) {
		o.Secret = askHidden
	}
	return o
}

func sourceHere(f cli.Flags) (*models.Source, error) {
	dirs, cfg, err := settings(".")
	if err != nil {
		return nil, err
	}
	return newSource(f, cfg, dirs, nil), nil
}

// logIn tries a key that was given in a shell and keeps it. An endpoint by its address is
// what forge begins with from now on: nothing else names it.
func logIn(ctx context.Context, s *models.Source, f cli.Flags, n cli.NewLogin) ([]string, error) {
	e, err := toLogIn(s, f, n.Name)
	if err != nil {
		return nil, err
	}
	key, err := models.KeyFor(e, n.Key)
	if err != nil {
		return nil, err
	}
	model := ""
	if f.Model != "" {
		model = catalog.ResolveModel(f.Model, e.Name).ID
	}
	c, doubt := catalog.Choice{Endpoint: e, Key: key}, lang.T("it was not tried")
	if !n.Untried {
		if c, doubt, err = s.Try(ctx, e, model, key); err != nil {
			return nil, fmt.Errorf(lang.T("%w; nothing is kept (--no-check keeps it untried)"), err)
		}
	}
	where, err := s.Keep(c.Endpoint, key)
	if err != nil {
		return nil, err
	}
	if models.Unnamed(e.Name) && c.Model.ID != "" {
		s.Remember(c)
	}
	return models.KeptWords(c.Endpoint, where, doubt), nil
}

// toLogIn is the endpoint of a name, or of the address in the flags.
func toLogIn(s *models.Source, f cli.Flags, name string) (catalog.Endpoint, error) {
	if name == "" {
		return s.At(f.BaseURL, f.Wire)
	}
	l, err := s.LoginOf(name)
	return l.Endpoint, err
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
