// Package compact fits a history into a model's window.
//
// It owns the estimate of tokens, the places where a history may be cut, and the
// summary that stands for what was cut off. It speaks to a model through
// provider.Provider and keeps no state of a conversation: the agent asks it
// between turns and records what it answers.
package compact

import "forge/provider"

// Cut says that the messages before index From are replaced by Summary. Before
// and After are estimates in tokens.
type Cut struct {
	Summary       string
	From          int
	Before, After int
	Usage         provider.Usage // what making the summary cost
}

// Compactor shortens histories.
type Compactor struct{}
