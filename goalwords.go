package main

// What the model is told of a goal.
const (
	goalIs   = "The user sets a goal. It stands over this run and later ones until it is met:\n<goal>\n%s\n</goal>\n"
	goalHow  = "Work on it by yourself until it is met. Do not stop at a plan, at a part of it, or at a question you can settle yourself. Find out first what would show that it is met, and check exactly that at the end.\nWhen all of it is met and checked, end your answer with the line\nGOAL MET\nIf nothing can go on without the user, with the line\nGOAL BLOCKED: and why\n"
	goalMore = "The user's goal stands, and you did not say that it is met:\n<goal>\n%s\n</goal>\nGo on with what is missing. If all of it is met and checked, end your answer with the line GOAL MET; if nothing can go on without the user, with the line GOAL BLOCKED: and why."
	goalOver = "The user took the goal back; nothing stands any more."
)
