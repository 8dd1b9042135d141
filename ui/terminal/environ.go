package terminal

// Environ is an environment in which TERM says what the terminal takes. On Windows nobody
// sets it: every console there is takes what xterm does.
func Environ(system string, getenv func(string) string) func(string) string {
	if system != "windows" || getenv("TERM") != "" {
		return getenv
	}
	return func(name string) string {
		if name == "TERM" {
			return "xterm-256color"
		}
		return getenv(name)
	}
}

// Named is what the environment calls the terminal, beside TERM; empty: it does not say.
func Named(getenv func(string) string) string {
	switch {
	case getenv("TERM_PROGRAM") != "":
		return joined(getenv("TERM_PROGRAM"), getenv("TERM_PROGRAM_VERSION"))
	case getenv("WT_SESSION") != "":
		return "Windows Terminal"
	case getenv("ConEmuANSI") == "ON":
		return "ConEmu"
	}
	return ""
}

func joined(name, version string) string {
	if version == "" {
		return name
	}
	return name + " " + version
}
