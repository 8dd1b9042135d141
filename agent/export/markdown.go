package export

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

func writeMarkdown(w io.Writer, t Talk) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "# %s\n\n", escapeHead(t.title()))
	for _, f := range t.facts() {
		fmt.Fprintf(b, "- %s: %s\n", f[0], code(f[1]))
	}
	who := ""
	var pictures []string // at the end, so that the text can be read
	for _, p := range t.parts() {
		if p.who != "" && p.who != who {
			who = p.who
			fmt.Fprintf(b, "\n## %s\n", escapeHead(who))
		}
		b.WriteString("\n")
		switch {
		case p.mime != "":
			src, ok := source(p)
			if !ok {
				b.WriteString("*(picture left out)*\n")
				continue
			}
			pictures = append(pictures, src)
			fmt.Fprintf(b, "![picture %d][picture-%d]\n", len(pictures), len(pictures))
		case p.kind == "thinking" || p.kind == "cut":
			fmt.Fprintf(b, "> *%s*\n>\n", p.head)
			for l := range strings.Lines(strings.TrimSpace(p.text) + "\n") {
				b.WriteString("> " + l)
			}
		case p.kind == "call":
			fmt.Fprintf(b, "**%s**\n", escapeHead(p.head))
			if p.text != "" {
				b.WriteString("\n" + fenced("json", p.text))
			}
		case p.kind == "result":
			if p.bad {
				b.WriteString("*failed*\n\n")
			}
			b.WriteString(fenced("", p.text))
		default:
			b.WriteString(strings.TrimSpace(p.text) + "\n")
		}
	}
	for i, src := range pictures {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(b, "[picture-%d]: %s\n", i+1, src)
	}
	return b.Flush()
}

// fenced is text in a fence longer than any in it.
func fenced(lang, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + lang + "\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n"
}

func code(s string) string {
	ticks := "`"
	for strings.Contains(s, ticks) {
		ticks += "`"
	}
	if len(ticks) > 1 {
		s = " " + s + " "
	}
	return ticks + s + ticks
}

// escapeHead keeps what means something in Markdown from meaning it in a heading.
func escapeHead(s string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "<", `\<`, "#", `\#`).Replace(s)
}
