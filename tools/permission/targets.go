package permission

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"forge/lazy"
	"forge/tools/sandbox"
)

// Where a command writes, deletes or reads decides how bad it is. A path counts
// both as written and with its links followed, from every directory the line may
// be in.

var devices = lazy.Regexp{Expr: `^/dev/(sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|mapper/|dm-|loop|md\d|mem|kmem|port|sr\d|nst|st\d|block/|zvol/)`}

// places are the absolute paths a word may mean.
func (s *scan) places(p string, follow bool) []string {
	var out []string
	for _, dir := range s.cwds {
		at := p
		if !rooted(at) {
			at = path.Join(dir, at)
		}
		out = append(out, path.Clean(at))
		if strings.Contains(p, unknown) {
			continue
		}
		if follow {
			at, _ = s.w.reach(dir, p)
		} else if up, _ := s.w.reach(dir, path.Dir(strings.TrimRight(p, "/")+"/x/..")); up != "" {
			at = path.Join(real(dir, path.Dir(path.Clean(p))), path.Base(path.Clean(p)))
		}
		if at != "" && !slices.Contains(out, at) {
			out = append(out, path.Clean(at))
		}
	}
	return out
}

func (s *scan) inside(p string) bool {
	return slices.ContainsFunc(s.w.real, func(root string) bool { return within(root, p) })
}

// writes judges a file or directory that a command changes. An ordinary place
// inside the workspace goes without a word.
func (s *scan) writes(w word) {
	s.ro = false
	p := w.path
	if p == "" || p == "-" {
		return
	}
	if strings.Contains(p, unknown) {
		s.risk(High, "writes where only running it would show")
	}
	for _, at := range s.places(p, true) {
		if l, why := s.target(at); why != "" {
			s.risk(l, why)
		}
	}
}

// target is how bad it is to change a path, absolute and clean.
func (s *scan) target(p string) (Level, string) {
	switch {
	case p == "/dev/null" || p == "/dev/stdout" || p == "/dev/stderr" || strings.HasPrefix(p, "/dev/fd/") || p == "/dev/zero":
		return Low, ""
	case strings.HasPrefix(p, "/dev/tcp/") || strings.HasPrefix(p, "/dev/udp/"):
		s.send, s.socket = true, true
		return High, "opens a network connection by the shell itself"
	case devices.Get().MatchString(p):
		return Critical, "writes to a device"
	case p == "/dev/tty":
		return Medium, "writes to the terminal"
	}
	low := strings.ToLower(p)
	for part := range strings.SplitSeq(low, "/") {
		switch part {
		case ".git", "git~1":
			return Critical, "changes git's own files, by which later git commands run programs"
		case ".forge", ".claude", ".codex", ".gemini", ".cursor", ".opencode", ".crush", ".mcp.json", "forge.json", ".goose", ".aider.conf.yml":
			return Critical, "changes what an agent obeys"
		}
	}
	if strings.Contains(low, "/forge/") && !s.inside(p) {
		return Critical, "changes what an agent obeys"
	}
	if s.inside(p) {
		for _, root := range s.w.real {
			if rel, err := filepath.Rel(root, p); err == nil && within(root, p) && sandbox.Protected(filepath.ToSlash(rel)) {
				return High, "changes a file that programs obey: " + strings.ReplaceAll(filepath.ToSlash(rel), unknown, "…")
			}
		}
		return Low, ""
	}
	if within(s.w.home, p) {
		rel, _ := filepath.Rel(s.w.home, p)
		if homeObeyed(strings.ToLower(rel)) {
			return Critical, "changes what runs with each shell, login or program of the user"
		}
	}
	if strings.Contains(p, unknown) {
		if homeObeyed(strings.TrimLeft(low[strings.LastIndex(low, unknown)+1:], "/")) {
			return Critical, "changes what runs with each shell, login or program of the user"
		}
		return High, "writes where only running it would show"
	}
	if system(p) {
		return Critical, "changes the system"
	}
	return High, "writes outside the workspace"
}

// homeObeyed is a path below a home that something runs or obeys later.
func homeObeyed(rel string) bool {
	for _, dir := range []string{".ssh", ".config/autostart", ".config/systemd", ".config/fish", ".config/git", ".config/nvim", ".config/environment.d", ".local/share/systemd",
		".local/share/applications", ".local/bin", "bin", "library/launchagents", "library/launchdaemons", ".gnupg", ".aws", ".kube", ".docker", ".cargo", ".config/forge", ".local/state/forge", ".oh-my-zsh", ".config/code"} {
		if rel == dir || strings.HasPrefix(rel, dir+"/") {
			return true
		}
	}
	return sandbox.Protected(rel) || slices.Contains([]string{".xinitrc", ".xsession", ".xprofile", ".pam_environment", ".config", ".pythonrc", ".irbrc", ".emacs", ".tmux.conf", ".screenrc", ".selected_editor"}, rel)
}

// system reports whether a path belongs to the machine: / itself, or below a
// directory that packages and the kernel own.
func system(p string) bool {
	if p == "/" {
		return true
	}
	for _, dir := range []string{"/etc", "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/boot", "/proc", "/sys", "/var/spool", "/var/lib", "/root", "/opt", "/dev", "/Library", "/System", "/Applications", "/private/etc", "/srv", "/run"} {
		if within(dir, p) {
			return true
		}
	}
	return p == "/home" || p == "/var" || p == "/Users" || p == "/tmp" || p == "/mnt" || p == "/media" || p == "/private"
}

// destroys judges a path that goes away, with all below it if deep.
func (s *scan) destroys(w word, deep bool) {
	s.ro = false
	p := w.path
	if p == "" { // a name that is empty names nothing
		return
	}
	if devices.Get().MatchString(p) {
		s.risk(Critical, "destroys a device")
		return
	}
	if i := strings.Index(p, unknown); i >= 0 {
		tail := strings.Trim(strings.ReplaceAll(p[i+1:], unknown, ""), "/*")
		if deep && tail == "" && strings.Trim(p[:i], "/") == "" && strings.Contains(p, "/") {
			s.risk(Critical, "deletes / if a variable is empty")
			return
		}
		s.risk(High, "deletes what only running it would show")
		if tail != "" || p[:i] == "" {
			return
		}
		p = p[:i] // what it is at least below
	}
	// a/b*/c: all of a; a/*: all of a as well
	whole, glob := p, false
	if i := strings.IndexAny(p, "*?["); i >= 0 && !w.lit {
		glob = true
		whole = p[:strings.LastIndex(p[:i], "/")+1]
		if whole == "" {
			whole = "."
		}
	}
	if glob && strings.Contains(p, ".") && !strings.Contains(p[len(strings.TrimSuffix(whole, ".")):], "/") {
		if ok, _ := path.Match(strings.ReplaceAll(p[strings.LastIndex(p, "/")+1:], "[!", "[^"), ".git"); ok {
			for _, at := range s.places(whole, true) {
				s.destroysAt(path.Join(at, ".git"), deep, false, true)
			}
		}
	}
	every := !glob || strings.Trim(p[len(strings.TrimSuffix(whole, ".")):], "*/.?") == ""
	for _, at := range s.places(whole, glob) {
		s.destroysAt(at, deep, glob, every)
	}
}

func (s *scan) destroysAt(at string, deep, glob, every bool) {
	root := slices.ContainsFunc(s.w.real, func(r string) bool { return within(at, r) })
	switch {
	case slices.Contains(strings.Split(at, "/"), ".git"):
		s.risk(Critical, "destroys the repository's history")
	case at == "/" || at == s.w.home || within(at, s.w.home) && !root:
		s.risk(Critical, "destroys a home or the whole machine")
	case root && deep && every:
		s.risk(Critical, "destroys the whole workspace")
	case root && glob:
		s.risk(High, "deletes many files at once")
	case root:
		s.risk(Critical, "destroys the whole workspace")
	case s.inside(at):
		switch {
		case deep:
			s.risk(High, "deletes a directory tree")
		case glob:
			s.risk(High, "deletes many files at once")
		default:
			s.risk(Medium, "deletes a file")
			for _, r := range s.w.real {
				if rel, err := filepath.Rel(r, at); err == nil && within(r, at) && sandbox.Protected(filepath.ToSlash(rel)) {
					s.risk(High, "deletes a file that programs obey")
				}
			}
		}
	case secretFile(at):
		s.risk(Critical, "destroys a key")
	case (strings.HasPrefix(at, "/tmp/") || strings.HasPrefix(at, "/var/tmp/")) && !within(s.w.home, at):
		s.risk(High, "deletes outside the workspace")
	case deep || system(at):
		s.risk(Critical, "destroys a tree outside the workspace")
	default:
		s.risk(High, "deletes outside the workspace")
	}
}

// reads judges a file that a command reads and that the tables did not vouch for.
func (s *scan) reads(w word) {
	p := w.path
	if p == "" || p == "-" || p == "/dev/null" || strings.HasPrefix(p, "/dev/std") {
		return
	}
	if strings.HasPrefix(p, "/dev/tcp/") || strings.HasPrefix(p, "/dev/udp/") {
		s.send, s.net, s.socket = true, true, true
		s.risk(High, "opens a network connection by the shell itself")
		return
	}
	name := strings.ReplaceAll(p, unknown, "")
	if secretFile(name) {
		s.readsSecret(p)
		return
	}
	if strings.Contains(p, unknown) {
		s.risk(Medium, "reads what only running it would show")
		return
	}
	for _, at := range s.places(p, true) {
		if !s.inside(at) {
			s.outside = true
			s.risk(Medium, "reads outside the workspace")
		}
		if secretFile(at) {
			s.readsSecret(at)
		}
	}
}

func (s *scan) readsSecret(p string) {
	s.secret = true
	for _, at := range s.places(p, true) {
		if strings.Contains(p, unknown) || !s.inside(at) {
			s.risk(High, "reads a secret outside the workspace")
			return
		}
	}
	s.risk(High, "reads a file that holds secrets")
}
