package agent

import (
	"fmt"
)

// DoneTodo returns the item of a to-do list that was done last, "" for an empty list.
func DoneTodo(todos []TodoItem) string {
	for i := len(todos) - 1; i >= 0; i-- {
		if todos[i].Status == "completed" {
			return todos[i].Content
		}
	}
	if len(todos) == 0 {
		return ""
	}
	return fmt.Sprintf("Planning: %d todos", len(todos))
}
