package permission

import (
	"fmt"
	"slices"
)

// ParseMode reads a mode's name.
func ParseMode(s string) (Mode, error) {
	switch m := Mode(s); m {
	case ModeAsk, ModeEdits, ModePlan, ModeAuto, ModeYolo:
		return m, nil
	}
	return "", fmt.Errorf("mode %q is unknown: use ask, edits, plan, auto or yolo", s)
}

// Stricter is the one of two modes in which less runs without a question; the first, where
// the second is none.
func Stricter(a, b Mode) Mode {
	order := []Mode{ModePlan, ModeAsk, ModeEdits, ModeAuto, ModeYolo}
	if i := slices.Index(order, b); i >= 0 && i < slices.Index(order, a) {
		return b
	}
	return a
}

// Next is the mode Shift+Tab goes to. Yolo is left by it, never entered.
func (m Mode) Next() Mode {
	cycle := []Mode{ModeAsk, ModeEdits, ModePlan, ModeAuto}
	return cycle[(slices.Index(cycle, m)+1)%len(cycle)]
}
