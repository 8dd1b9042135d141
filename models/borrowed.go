package models

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"forge/agent/config"
	"forge/programs"
	"forge/provider/catalog"
	"forge/tools/sandbox"
	"forge/ui/lang"
)

// KeySetting is the name of the setting that says where the key is, in the place of a
// variable's: catalog.Choice.KeyEnv may hold it.
const KeySetting = "api_key"

// lateKey stands for a key that a command gives, until somebody needs it: no start waits
// for a password manager.
const lateKey = "the-command-of-api_key-has-not-run"

// commandTime bounds a command of the settings.
const commandTime = 20 * time.Second

// keyEnv is where the settings say the key is: a variable's name, KeySetting, or nothing.
func (s *Source) keyEnv() string {
	if s.cfg.APIKeyEnv == "" && s.cfg.APIKey != nil {
		return KeySetting
	}
	return s.cfg.APIKeyEnv
}

// keyIsOf reports whether that key is of an endpoint of the catalogue.
func (s *Source) keyIsOf(e catalog.Endpoint) bool {
	if s.keyEnv() == "" || s.cfg.BaseURL != "" {
		return false
	}
	name := cmp.Or(s.cfg.Provider, catalog.ResolveModel(s.cfg.Model, "").Endpoint)
	own, ok := catalog.Find(name)
	return ok && own.Name == e.Name
}

// borrows reports whether an endpoint gets the headers whose values the settings take from
// elsewhere, which are mostly keys: it is the one they name, or they name none.
func (s *Source) borrows(e catalog.Endpoint) bool {
	if s.cfg.BaseURL != "" {
		return sameURL(e.BaseURL, s.cfg.BaseURL)
	}
	if s.cfg.Provider == "" && s.cfg.Model == "" {
		return true
	}
	name := cmp.Or(s.cfg.Provider, catalog.ResolveModel(s.cfg.Model, "").Endpoint)
	own, ok := catalog.Find(name)
	if !ok { // a name the person gave, or a model alone
		return name == "" || e.Name == name
	}
	return e.Name == own.Name
}

// listsWith reports whether an endpoint gets such headers where it is only asked for its
// models. A list of all providers' models speaks with many that nobody chose.
func (s *Source) listsWith(e catalog.Endpoint) bool {
	named := s.cfg.BaseURL+s.cfg.Provider+s.cfg.Model != ""
	return s.borrows(e) && (named || s.o.Flag.Provider == e.Name || s.o.Flag.BaseURL != "" && sameURL(e.BaseURL, s.o.Flag.BaseURL))
}

// getenv reads a variable, or what the setting api_key says.
func (s *Source) getenv(name string) string {
	if name != KeySetting || s.cfg.APIKey == nil {
		return os.Getenv(name)
	}
	if s.cfg.APIKey.Late() {
		return lateKey
	}
	key, err := s.cfg.APIKey.Fill(nil)
	if err != nil {
		slog.Warn("the key of the settings not read", "err", err)
	}
	return key
}

// keyed is what commands gave, until a server refuses it.
type keyed struct {
	mu      sync.Mutex
	key     string
	headers map[string]string // nil: they have not run
}

func (k *keyed) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.key, k.headers = "", nil
}

// resolved is the key behind lateKey; any other is itself.
func (s *Source) resolved(ctx context.Context, key string) (string, error) {
	if key != lateKey {
		return key, nil
	}
	s.keyed.mu.Lock()
	defer s.keyed.mu.Unlock()
	if s.keyed.key != "" {
		return s.keyed.key, nil
	}
	key, err := s.cfg.APIKey.Fill(s.commands(ctx))
	if err == nil {
		key, err = config.CleanKey(key)
	}
	if err != nil {
		return "", fmt.Errorf(lang.T("the setting %s: %w"), KeySetting, err)
	}
	s.keyed.key = key
	return key, nil
}

// headed is an endpoint with the headers of the settings as they stand there; borrows says
// whether those are among them whose values are from elsewhere.
func (s *Source) headed(e catalog.Endpoint, borrows bool) catalog.Endpoint {
	h := maps.Clone(e.Header)
	if h == nil {
		h = map[string]string{}
	}
	for k, v := range s.cfg.Headers {
		if borrows || !slices.Contains(s.cfg.Borrowed, k) {
			h[k] = v
		}
	}
	e.Header = h
	return e
}

// lateHeaded is headed with those whose values commands give.
func (s *Source) lateHeaded(ctx context.Context, e catalog.Endpoint, borrows bool) (catalog.Endpoint, error) {
	e = s.headed(e, borrows)
	if len(s.cfg.LateHeaders) == 0 || !borrows {
		return e, nil
	}
	s.keyed.mu.Lock()
	defer s.keyed.mu.Unlock()
	if s.keyed.headers == nil {
		got := map[string]string{}
		for k, t := range s.cfg.LateHeaders {
			v, err := t.Fill(s.commands(ctx))
			if err != nil {
				return e, fmt.Errorf(lang.T("the header %s: %w"), k, err)
			}
			if strings.ContainsAny(v, "\r\n\x00") {
				return e, fmt.Errorf(lang.T("the header %s: its command gave more than one line"), k)
			}
			got[k] = v
		}
		s.keyed.headers = got
	}
	maps.Copy(e.Header, s.keyed.headers)
	return e, nil
}

// commands runs a command of the person's settings, as their shell would, but for programs
// of the workspace. What it writes on standard error is told where it fails, and no word of
// what it gives is.
func (s *Source) commands(ctx context.Context) func(string) (string, error) {
	return func(line string) (string, error) {
		res, err := sandbox.Command{Shell: line, With: sandbox.FindShell(s.o.Work), Dir: s.home(), Env: programs.Environ(os.Environ(), s.o.Work),
			Guardian: s.guardian, Apart: true, Timeout: commandTime, Max: 1 << 20}.Run(ctx)
		switch {
		case err != nil:
			return "", err
		case res.Cancelled:
			return "", context.Cause(ctx)
		case res.TimedOut:
			return "", fmt.Errorf(lang.T("$(%s) took longer than %s"), line, commandTime)
		case !res.Ok():
			why, _, _ := strings.Cut(strings.TrimSpace(string(res.Errors)), "\n")
			return "", fmt.Errorf(lang.T("$(%s) failed with exit code %d: %s"), line, res.ExitCode, why)
		}
		return strings.TrimRight(string(res.Output), "\r\n"), nil
	}
}

// home is where such a command runs: not in the workspace, whose files are a stranger's.
func (s *Source) home() string {
	if home, err := os.UserHomeDir(); err == nil {
		if fi, err := os.Stat(home); err == nil && fi.IsDir() {
			return home
		}
	}
	return os.TempDir()
}
