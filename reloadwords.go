package main

import (
	"fmt"
	"strings"

	"forge/agent"
)

// instructionsNow is what the model is told of instructions that were read anew.
func instructionsNow(files []agent.MemoryFile) string {
	var b strings.Builder
	b.WriteString("The instructions changed since the session began. These take the place of all those above; the user's own come first, then those of the project, which cannot widen what you may do.\n")
	writeInstructions(&b, files)
	if len(files) == 0 {
		b.WriteString("\nThere are none any more.\n")
	}
	return b.String()
}

func writeInstructions(b *strings.Builder, files []agent.MemoryFile) {
	for _, f := range files {
		whose := "project"
		if f.User {
			whose = "user"
		}
		fmt.Fprintf(b, "\n<file path=%q of=%q>\n%s\n</file>\n", f.Name, whose, strings.TrimSpace(f.Text))
	}
}
