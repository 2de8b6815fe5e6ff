module stet

go 1.18
