package sandbox

import (
	"path/filepath"
	"slices"
	"strings"
)

// seatbelt writes the policy as a profile of macOS. It was written from what is
// known of the language and never tried on a real Mac. The last rule that fits
// wins: everything is denied, then what a program needs is allowed, then the
// secrets are denied again.
func (p *Policy) seatbelt() string {
	var b strings.Builder
	line := func(parts ...string) { b.WriteString("(" + strings.Join(parts, " ") + ")\n") }
	line("version 1")
	line("deny default")
	line("allow process-exec")
	line("allow process-fork")
	line("allow signal", "(target same-sandbox)")
	line("allow process-info*", "(target same-sandbox)")
	line("allow sysctl-read")
	line("allow user-preference-read")
	line("allow mach-lookup", `(global-name "com.apple.system.opendirectoryd.libinfo")`, `(global-name "com.apple.system.logger")`,
		`(global-name "com.apple.system.notification_center")`, `(global-name "com.apple.trustd.agent")`)
	line("allow ipc-posix-sem")
	line("allow ipc-posix-shm")
	line("allow pseudo-tty")
	line("allow file-read*")
	line("allow file-ioctl", `(literal "/dev/null")`, `(literal "/dev/zero")`, `(literal "/dev/ptmx")`, `(regex #"^/dev/ttys[0-9]+$")`)
	line("allow file-write*", `(literal "/dev/null")`, `(literal "/dev/zero")`, `(literal "/dev/ptmx")`, `(regex #"^/dev/ttys[0-9]+$")`)
	for _, dir := range p.writable() {
		line("allow file-write*", "(subpath "+quoteProfile(dir)+")")
	}
	for _, root := range p.scope().roots {
		for _, name := range []string{".git/hooks", ".git/config", ".git/config.worktree", ".git/info", ".git/modules", ".forge"} {
			line("deny file-write*", "(subpath "+quoteProfile(filepath.Join(root, name))+")")
		}
		// The folder itself must not be moved away to have another in its place.
		line("deny file-write-unlink", "(literal "+quoteProfile(filepath.Join(root, ".git"))+")")
	}
	hidden := slices.Clone(p.scope().hidden)
	slices.Sort(hidden)
	for _, h := range hidden {
		line("deny file-read* file-write*", "(subpath "+quoteProfile(h)+")")
	}
	for _, r := range p.readable {
		line("allow file-read*", "(subpath "+quoteProfile(r)+")")
	}
	if p.network {
		line("allow network-outbound", `(remote ip "*:*")`, `(literal "/private/var/run/mDNSResponder")`)
		line("allow network-inbound", `(local ip "*:*")`)
		line("allow network-bind", `(local ip "*:*")`)
		line("allow system-socket")
	}
	return b.String()
}

// quoteProfile writes a path as a string of a profile.
func quoteProfile(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path) + `"`
}
