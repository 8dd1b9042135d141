// Package screentest puts programs on real terminals, for tests.
//
// It owns a pty with a program at one end and an emulator at the other, which draws
// what the program writes and answers what it asks; and it knows which bytes a
// terminal sends for a key. Tests wait for what a person would see and press what a
// person would press. Only tests import it: it speaks no word of forge, and knows
// neither its screens nor its keys.
package screentest
