package sandbox

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"forge/lazy"
)

// Denied is what the sandbox stopped a command from doing. It is read from what
// the command said, because the kernel does not tell: it may be missing, and is
// left out where the command would have failed without a sandbox as well.
type Denied struct {
	Network bool   // it wanted the network; Policy.WithNetwork is enough for it
	Path    string // what it wanted to change or read, absolute; empty: not known
	Line    string // the line of output that tells
}

// String says it in words for a person: "write to /etc/x".
func (d *Denied) String() string {
	switch {
	case d == nil:
		return ""
	case d.Network && d.Path != "":
		return "write to " + d.Path + ", which is for commands with the network open"
	case d.Network:
		return "use the network"
	case d.Path != "":
		return "reach " + d.Path
	}
	return "do something that needs more rights"
}

var (
	// The words for what the network gives no longer, in lower case. They are long, and
	// compiled when a command first fails.
	networkWords = lazy.Regexp{Expr: `could not resolve|couldn't resolve|can't resolve|cannot resolve|unable to resolve|name or service not known|` +
		`name resolution|no such host|getaddrinfo|eai_again|network is unreachable|enetunreach|no route to host|socket: (operation not permitted|permission denied)|` +
		`failed to connect|couldn't connect|could not connect|connection error|unable to access 'https?:|failed to establish a new connection|` +
		`failed to fetch|dial (tcp|udp)|listen (tcp|udp)|connect: (operation not permitted|permission denied)|(listen|connect|socket|bind) (eperm|eacces)|` +
		`temporary failure resolving|ping: .*not permitted`}
	rightsWords = lazy.Regexp{Expr: `permission denied|operation not permitted|read-only file system|not permitted|access denied|eacces|eperm|erofs|device or resource busy`}
	// A server of the machine's own, where commands have another loopback.
	ownWords = lazy.Regexp{Expr: `(127\.\d+\.\d+\.\d+|localhost|::1).*(connection refused|econnrefused)|(connection refused|econnrefused).*(127\.\d+\.\d+\.\d+|localhost|::1)`}
	// A path in quotes may hold blanks, one without ends at a blank or at what
	// encloses it.
	quotedPath = lazy.Regexp{Expr: "['\"`‘]([^'\"`’\n]+)['\"`’]"}
	plainPath  = lazy.Regexp{Expr: `(?:^|[\s=:(\[<>,])(\.{0,2}/[^\s'":,;()\[\]<>]+)`}
	// What a shell or a program says before: its own name is no path it wanted.
	speaker = lazy.Regexp{Expr: `^\S+: (?:line )?(?:\d+: )?`}
)

// maxDeniedLines is how many lines from the end are read.
const maxDeniedLines = 400

// lastLines are those of an output that are read.
func lastLines(output string) []string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	return lines[max(0, len(lines)-maxDeniedLines):]
}

// spoken finds who says a line: "curl: (6) …", "npm error …".
var spoken = lazy.Regexp{Expr: `^([\w.+-]+)(?:: | (?:error|ERR!|warn|WARN) )`}

// deniedWithin works out what stopped a part of a command that succeeded all the
// same: what fails in front of a pipe or a semicolon is not in the exit code. Only
// the network counts, and only what a program that line names says in its own name:
// anything else may be what a file or a log holds.
func (p *Policy) deniedWithin(line string, r Result) *Denied {
	if p.network || !strings.ContainsAny(line, "|;&\n") {
		return nil
	}
	for _, said := range lastLines(r.Output) {
		who := spoken.Get().FindStringSubmatch(said)
		if who == nil || !networkWords.Get().MatchString(strings.ToLower(said)) {
			continue
		}
		name := who[1]
		if name == "fatal" {
			name = "git"
		}
		if slices.Contains(strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\n|;&(){}$`\"'/", r) }), name) {
			return &Denied{Network: true, Line: clip(strings.TrimSpace(said))}
		}
	}
	return nil
}

// denied works out what stopped a command that failed.
func (p *Policy) denied(dir string, r Result) *Denied {
	var vague *Denied
	for _, line := range lastLines(r.Output) {
		line = strings.TrimSpace(line)
		low := strings.ToLower(line)
		if !p.network && (networkWords.Get().MatchString(low) || ownWords.Get().MatchString(low) && p.ownLoopback()) {
			return &Denied{Network: true, Line: clip(line)}
		}
		if !rightsWords.Get().MatchString(low) {
			continue
		}
		paths := pathsOf(dir, line)
		for _, path := range paths {
			if p.stops(path) {
				return &Denied{Path: path, Line: clip(line), Network: p.opens(path)}
			}
		}
		if len(paths) == 0 && vague == nil && (strings.Contains(low, "not permitted") || strings.Contains(low, "eperm")) {
			vague = &Denied{Line: clip(line)}
		}
	}
	return vague
}

// pathsOf finds the paths a line speaks of, what begins the line last.
func pathsOf(dir, line string) []string {
	var out []string
	rest := line[len(speaker.Get().FindString(line)):]
	for _, part := range []string{rest, line} {
		for _, re := range []*regexp.Regexp{quotedPath.Get(), plainPath.Get()} {
			for _, m := range re.FindAllStringSubmatch(part, -1) {
				path := m[1]
				if !filepath.IsAbs(path) {
					path = filepath.Join(dir, path)
				}
				if path = filepath.Clean(path); !slices.Contains(out, path) {
					out = append(out, path)
				}
			}
		}
	}
	return out
}

// stops says whether it is the sandbox that keeps a command from a path: it is no
// place to write to, or hidden, and forge itself may.
func (p *Policy) stops(path string) bool {
	real := resolved(path)
	for _, h := range p.scope().hidden {
		if beneath(h, real) {
			return true
		}
	}
	for _, dir := range p.writable() {
		if beneath(dir, real) {
			return p.form != Landlock && protects(p.scope().roots, real)
		}
	}
	return mayWrite(real)
}

// protects says whether path is one of those that stay read-only in a root.
func protects(roots []string, path string) bool {
	for _, root := range roots {
		for _, name := range []string{".git/hooks", ".git/config", ".git/info", ".git/modules", ".forge"} {
			if at := filepath.Join(root, filepath.FromSlash(name)); beneath(at, path) || path == at+".lock" {
				return true
			}
		}
	}
	return false
}

// opens says whether the path can be written to once the network is open.
func (p *Policy) opens(path string) bool {
	if p.network {
		return false
	}
	for _, dir := range p.downloads() {
		if beneath(dir, resolved(path)) {
			return true
		}
	}
	return false
}

func clip(line string) string {
	if len(line) <= 300 {
		return line
	}
	return strings.ToValidUTF8(line[:300], "") + "…"
}

// hint says to a model what happened and what it can do about it, in a line;
// empty where there is nothing.
func (p *Policy) hint(d *Denied) string {
	if d == nil {
		return ""
	}
	what := "the sandbox stopped it: it may not " + d.String() + p.allows(d)
	if beneath("/tmp", d.Path) || beneath("/var/tmp", d.Path) {
		what += fmt.Sprintf("; write temporary files to $TMPDIR (%s)", p.temp)
	}
	return what
}

// allows names what it may do instead.
func (p *Policy) allows(d *Denied) string {
	if d.Network || d.Path == "" {
		return ""
	}
	for _, h := range p.scope().hidden {
		if beneath(h, d.Path) {
			return ", where secrets are kept"
		}
	}
	return "; it writes to " + strings.Join(p.scope().roots, ", ")
}
