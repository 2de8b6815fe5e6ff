-- Requests with one key after the other. Arguments: the file of keys, the path, an If-None-Match or nothing.
local requests = {}
local next = 0

function init(arguments)
  for key in io.lines(arguments[1]) do
    local headers = { ["Authorization"] = "Bearer " .. key }
    if arguments[3] then headers["If-None-Match"] = arguments[3] end
    requests[#requests + 1] = wrk.format("GET", arguments[2], headers)
  end
end

function request()
  next = next % #requests + 1
  return requests[next]
end

function done(summary, latency)
  local errors = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.status + summary.errors.timeout
  io.write(string.format("RESULT %.0f %.3f %d\n", summary.requests / (summary.duration / 1e6), latency:percentile(99) / 1000, errors))
end
