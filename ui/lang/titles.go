package lang

// titles are what a call would do, in a line, as the tools write it: what stands for
// the verbs is the model's, and shown as it is.
var titles = []string{
	N("run again with the network open: %s"), N("run again outside the sandbox: %s"),
	N("run %s in the background"), N("run %s"),
	N("read %s from line %d"), N("read %s"), N("list %s"), N("glob %s in %s"), N("grep \"%s\" in %s"),
	N("create %s (%s)"), N("edit %s (%s)"), N("write %s (no change)"), N("write %s (%s)"),
	N("output of %s: %s"), N("end %s: %s"), N("todo: %d of %d done"), N("recall: message %d"), N("recall: %s"),
	N("find tools: %s"), N("list resources"),
}

// Title is the title of a call, in the language in force.
func Title(text string) string {
	if l := current.Load(); l != nil && l.words[text] != "" {
		return l.words[text]
	}
	return As(text, titles...)
}

// grants are what an answer would allow from then on, titles likewise.
var grants = []string{
	N("run %s with the network open"), N("run %s outside the sandbox"), N("run %s"),
	N("edit files in %s"), N("use %s"), N("give commands the %s"),
}

// Grant is a grant as the question shows it, in the language in force.
func Grant(text string) string { return As(text, grants...) }
