package ui

import (
	"fmt"
	"strings"
	"testing"

	"forge/agent"
	"forge/tools"
)

// filled is a model whose transcript has about n lines of every kind.
func filled(b *testing.B, n int) *Model {
	b.Helper()
	m := benchModel(120, 40)
	for i := 0; i < n; i += 40 {
		m.event(agent.UserMessage{Text: fmt.Sprintf("prompt %d", i)})
		m.talk.begin(m.now)
		m.event(agent.TextDelta{Block: 0, Text: "Some **words** about it.\n\n" + strings.Repeat("- an item of a list with a few words in it\n", 25)})
		m.event(agent.ToolStart{ID: "x", Effect: tools.Effect{Kind: tools.Exec, Title: "run it"}})
		m.event(agent.ToolEnd{ID: "x", Result: tools.Result{Text: long(30)}})
		m.event(agent.TurnEnd{})
	}
	return m
}

// BenchmarkTranscriptView draws a frame at the end and one scrolled up. It must
// not grow with the transcript: 100k lines within 1.5 times of 10k.
func BenchmarkTranscriptView(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		m := filled(b, n)
		b.Run(fmt.Sprintf("end/%dk", n/1000), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m.View()
			}
		})
		m.tr.scroll(-500)
		b.Run(fmt.Sprintf("up/%dk", n/1000), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m.View()
			}
		})
	}
}

// BenchmarkResize draws the first frame of another width; only what is visible
// is wrapped anew, so it must not grow with the transcript either.
func BenchmarkResize(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		m := filled(b, n)
		b.Run(fmt.Sprintf("%dk", n/1000), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				m.w = 80 + i%2*40
				m.tr.reshape(func(d *drawing) { d.w = m.w })
				m.View()
			}
		})
	}
}

// BenchmarkDelta shows one delta of a long answer: fold and frame.
func BenchmarkDelta(b *testing.B) {
	for _, kb := range []int{1, 50, 200} {
		b.Run(fmt.Sprintf("%dKB", kb), func(b *testing.B) {
			m := benchModel(120, 40)
			m.event(agent.TurnStart{})
			text := strings.Repeat("A paragraph with some words in it, and some more words.\n\n", kb*1024/58+1)
			m.event(agent.TextDelta{Text: text})
			m.View()
			b.ReportAllocs()
			for b.Loop() {
				m.event(agent.TextDelta{Text: "word "})
				m.View()
			}
		})
	}
}

// BenchmarkToolInput shows one delta of a call whose arguments stream in. A file of
// 100 KB being written is to cost less than a frame's tenth.
func BenchmarkToolInput(b *testing.B) {
	for _, kb := range []int{1, 10, 100, 1000} {
		b.Run(fmt.Sprintf("%dKB", kb), func(b *testing.B) {
			m := benchModel(120, 40)
			m.event(agent.TurnStart{})
			m.event(agent.ToolInput{ID: "x", Name: "write_file", JSON: `{"path":"a.go","content":"`})
			m.event(agent.ToolInput{JSON: strings.Repeat(`\tif err != nil {\n\t\treturn err\n\t}\n`, kb*1024/37+1)})
			m.View()
			b.ReportAllocs()
			for b.Loop() {
				m.Update(batch{agent.ToolInput{JSON: "word "}})
				m.View()
			}
		})
	}
}

// BenchmarkToolOutput shows one delta of a command that writes much.
func BenchmarkToolOutput(b *testing.B) {
	for _, lines := range []int{10, 100_000} {
		b.Run(fmt.Sprint(lines), func(b *testing.B) {
			m := benchModel(120, 40)
			m.event(agent.ToolStart{ID: "x", Name: "run_bash", Effect: tools.Effect{Kind: tools.Exec, Title: "run it"}})
			m.event(agent.ToolRunning{ID: "x"})
			m.event(agent.ToolOutput{ID: "x", Text: strings.Repeat("a line of output with some words\n", lines)})
			m.View()
			b.ReportAllocs()
			for b.Loop() {
				m.Update(batch{agent.ToolOutput{ID: "x", Text: "one more line of output\n"}})
				m.View()
			}
		})
	}
}
