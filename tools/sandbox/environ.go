package sandbox

import (
	"os"
	"runtime"
	"slices"
	"strings"
)

// settings are what every command finds in its environment: nobody is there to
// page, to answer or to edit, and colours are for terminals.
var settings = []string{
	"FORGE=1", "TERM=dumb", "NO_COLOR=1",
	"PAGER=cat", "MANPAGER=cat", "GIT_PAGER=cat", "SYSTEMD_PAGER=cat",
	"EDITOR=false", "VISUAL=false", "GIT_EDITOR=false", "GIT_SEQUENCE_EDITOR=false", "GIT_MERGE_AUTOEDIT=no",
	"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=false", "SSH_ASKPASS=false", "SUDO_ASKPASS=/bin/false",
	// The person's own git may be at work in the same repository: a command that
	// only looks does not take the index lock.
	"GIT_OPTIONAL_LOCKS=0",
	"DEBIAN_FRONTEND=noninteractive",
}

// dropped are variables that make a shell or an interpreter run code before the
// command, or that describe a session the command is not part of.
var dropped = []string{
	"BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PS4", "PROMPT_COMMAND", "CDPATH", "GLOBIGNORE", "IFS",
	"NODE_OPTIONS", "PERL5OPT", "PERL5DB", "RUBYOPT", "PYTHONSTARTUP", "PYTHONINSPECT", "PYTHONBREAKPOINT",
	"JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "LESSOPEN", "LESSCLOSE", "CI",
}

var droppedPrefixes = []string{"FORGE_", "LD_", "DYLD_", "GIT_", "BASH_FUNC_"}

// secretWords mark a variable as a secret where they stand between underscores:
// OPENAI_API_KEY, AWS_ACCESS_KEY_ID, NPM_TOKEN, but not KEYBOARD.
var secretWords = []string{
	"KEY", "APIKEY", "TOKEN", "SECRET", "SECRETS", "PASSWORD", "PASSWD", "PASS", "PASSPHRASE", "CREDENTIAL", "CREDENTIALS", "PAT",
}

// Dropped says whether a command is kept from seeing the variable name.
func Dropped(name string) bool {
	upper := strings.ToUpper(name)
	if slices.Contains(dropped, upper) {
		return true
	}
	for _, p := range droppedPrefixes {
		if strings.HasPrefix(upper, p) {
			return true
		}
	}
	for word := range strings.SplitSeq(upper, "_") {
		if slices.Contains(secretWords, word) {
			return true
		}
	}
	return false
}

// Environ is the environment of a command: this process's without what Dropped
// names, except the names in pass, and with settings that suit a command nobody
// watches.
func Environ(pass ...string) []string { return scrub(os.Environ(), pass) }

func scrub(env, pass []string) []string {
	out := make([]string, 0, len(env)+len(settings))
	for _, kv := range env {
		name, _, ok := strings.Cut(kv, "=")
		if !ok || name == "" || Dropped(name) && !slices.Contains(pass, name) {
			continue
		}
		if slices.ContainsFunc(settings, func(s string) bool { return sameName(s, name) && !slices.Contains(pass, name) }) {
			continue
		}
		out = append(out, kv)
	}
	for _, s := range settings {
		if name, _, _ := strings.Cut(s, "="); !slices.Contains(pass, name) {
			out = append(out, s)
		}
	}
	return out
}

// TerminalEnviron is the environment of a command that a person runs on their terminal:
// without what Dropped names, but with their own terminal, editor and pager, which
// commands nobody watches do not get.
func TerminalEnviron() []string {
	var out []string
	for _, kv := range os.Environ() {
		name, _, ok := strings.Cut(kv, "=")
		set := slices.ContainsFunc(settings, func(s string) bool { return sameName(s, name) })
		if !ok || name == "" || Dropped(name) && !set || name == "COLUMNS" || name == "LINES" { // the terminal has a size
			continue
		}
		out = append(out, kv)
	}
	return append(out, settings[0])
}

// sameName says whether the setting s is of the variable name.
func sameName(s, name string) bool {
	key, _, _ := strings.Cut(s, "=")
	if runtime.GOOS == "windows" {
		return strings.EqualFold(key, name)
	}
	return key == name
}
