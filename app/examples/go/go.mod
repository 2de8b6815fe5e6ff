module shop

go 1.18

require stet v0.0.0

replace stet => ../../clients/go
