package main

import (
	"os"
	"path/filepath"
	"testing"

	"forge/mcp"
	"forge/ui/cli"
)

// A server that is removed takes its login with it, unless another one is at the same
// address.
func TestRemovedServerIsForgotten(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	for name, sub := range map[string]string{"HOME": "", "XDG_CONFIG_HOME": "config", "XDG_STATE_HOME": "state", "XDG_CACHE_HOME": "cache"} {
		t.Setenv(name, filepath.Join(home, sub))
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(home, "none")) // no keyring but the file
	s, err := newServers(dir)
	if err != nil {
		t.Fatal(err)
	}
	one, two := mcp.ServerConfig{URL: "https://a.example/mcp"}, mcp.ServerConfig{URL: "https://b.example/mcp"}
	for name, c := range map[string]mcp.ServerConfig{"one": one, "again": one, "two": two} {
		if err := mcp.Add(s.files.User, name, c, false); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(s.files.Settings, []byte(`{"mcpServers": {"three": {"url": "https://c.example/mcp"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	three := mcp.ServerConfig{URL: "https://c.example/mcp"}
	for _, c := range []mcp.ServerConfig{one, two, three} {
		if _, err := s.dirs.Secrets().Set("mcp:"+c.URL, `{"token":{"access_token":"x"}}`); err != nil {
			t.Fatal(err)
		}
	}
	f := cli.Flags{Dir: dir}
	o := mcpCommands()
	kept := func(c mcp.ServerConfig) bool { _, err := s.dirs.Secrets().Get("mcp:" + c.URL); return err == nil }
	for _, step := range []struct {
		name            string
		one, two, three bool // are kept after it
	}{{"one", true, true, true}, {"two", true, false, true}, {"again", false, false, true}, {"three", false, false, false}} {
		if _, err := o.Remove(f, "", step.name); err != nil {
			t.Fatal(err)
		}
		if kept(one) != step.one || kept(two) != step.two || kept(three) != step.three {
			t.Errorf("after %s is removed: %v %v %v", step.name, kept(one), kept(two), kept(three))
		}
	}
	if _, err := o.Remove(f, "", "two"); err == nil {
		t.Error("it was removed twice")
	}
}
