package main

import "github.com/spf13/cobra"

func (w *world) demoCommand() *cobra.Command { return &cobra.Command{Use: "demo"} }
