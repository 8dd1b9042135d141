package permission

// Analysis is what is known of a command line without running it.
type Analysis struct {
	Parsed   [][]string // the simple commands found, as words; opaque words in full
	ReadOnly bool       // provably harmless: it may run without a question
	Level    Level
	Risks    []Risk
	// Shapes are the grants that together cover the line: "go test" stands for go
	// test with any further words. Empty: the line cannot be granted (HIGH or above,
	// an interpreter, a wrapper, words that are not literal).
	Shapes []string
}

// world is where a command line is judged: the directory it runs in and the
// folders that are the person's workspace, absolute.
type world struct {
	dir   string
	roots []string
}
