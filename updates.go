package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"forge/agent/config"
	"forge/agent/update"
	"forge/ui/cli"
	"forge/ui/lang"
)

// feed is where a release build looks for newer ones: -ldflags "-X main.feed=https://…".
var feed string

// Bounds of asking whether there is a newer forge.
const (
	updateEvery = 24 * time.Hour
	updateWait  = 15 * time.Second
)

// feedOf is the address of the updates: the person's, else the build's.
func feedOf(cfg *config.Config) string { return firstText(cfg.Update.URL, feed) }

// looksForUpdates reports whether this start may ask for a newer forge by itself: not where
// somebody asked to be left alone, and not where a machine works.
func (f *forge) looksForUpdates(getenv func(string) string) bool {
	off := func(name string) bool { v := getenv(name); return v != "" && v != "0" && v != "false" }
	return feedOf(f.cfg) != "" && !f.cfg.Update.Off && update.Numbered(version()) && !f.flags.Demo && !off("DO_NOT_TRACK") && !off("CI")
}

// tellUpdate says that there is a newer forge, once a day at most. It waits for the feed, so
// it is called beside whatever goes on; what fails is no trouble of the person's.
func (f *forge) tellUpdate(ctx context.Context, tell func(string)) {
	if !f.looksForUpdates(os.Getenv) || !f.dirs.DueForUpdate(time.Now(), updateEvery) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, updateWait)
	defer cancel()
	found, err := update.Read(ctx, updateClient(), feedOf(f.cfg))
	slog.Debug("looked for an update", "found", found.Version, "err", err)
	if err == nil && update.Newer(found.Version, version()) {
		tell(lang.T("forge %s is there, this is %s: forge update gets it", found.Version, version()))
	}
}

// updateClient has no timeout over a whole program: its context ends it.
func updateClient() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.ResponseHeaderTimeout = updateWait
	return &http.Client{Transport: t}
}

// updateCommand is what forge update needs.
func updateCommand() cli.UpdateOptions {
	return cli.UpdateOptions{Version: version(), Look: lookForUpdate, Install: installUpdate}
}

// errNoFeed is the error of a forge that does not know where newer ones are.
var errNoFeed = errors.New(lang.N("this forge does not know where newer ones are: put a newer build in its place, or set update.url to the address of a feed"))

// lookForUpdate asks the feed now, since somebody wants to know.
func lookForUpdate(ctx context.Context) (u cli.Update, err error) {
	_, cfg, err := settings(".")
	if err != nil {
		return u, err
	}
	if feedOf(cfg) == "" {
		return u, errNoFeed
	}
	ctx, cancel := context.WithTimeout(ctx, updateWait)
	defer cancel()
	f, err := update.Read(ctx, updateClient(), feedOf(cfg))
	if err != nil {
		return u, err
	}
	b, there := f.Builds[runtime.GOOS+"/"+runtime.GOARCH]
	return cli.Update{Version: f.Version, Notes: f.Notes, Newer: update.Newer(f.Version, version()), Numbered: update.Numbered(version()),
		Machine: runtime.GOOS + "/" + runtime.GOARCH, There: there, Build: b}, nil
}

// installUpdate puts it in the place of the program that runs. A link to it stays one.
func installUpdate(ctx context.Context, u cli.Update) (program string, err error) {
	b, ok := u.Build.(update.Build)
	if !ok {
		return "", errNoFeed
	}
	if program, err = os.Executable(); err == nil {
		program, err = filepath.EvalSymlinks(program)
	}
	if err != nil {
		return "", fmt.Errorf(lang.T("find this program: %w"), err)
	}
	return program, update.Install(ctx, updateClient(), b, u.Version, program)
}
