package git

func incrementMain(string) int { return 0 }
