#include "mees/viewer/server.hpp"

#include "mees/core/error.hpp"

#include <fmt/format.h>

#ifdef MEES_HTTPLIB
#include "mees/core/stop.hpp"
#include "mees/viewer/content.hpp"
#include "mees/viewer/detail/http_threads.hpp"
#include "mees/viewer/detail/json.hpp"

#include <sys/socket.h>

#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#endif

namespace mees::viewer {

std::string Address::url() const
{
    return fmt::format("http://127.0.0.1:{}/?token={}", port, token);
}

#ifndef MEES_HTTPLIB

void serve(Library&, std::string const&, int, std::function<void(Address const&)> const&)
{
    throw ConfigError{"cannot serve the viewer", "this program was built without cpp-httplib",
                      "Install libcpp-httplib-dev and build again, or write a page with --export."};
}

#else

namespace {

using namespace std::chrono_literals;

constexpr auto poll_interval = 200ms;
constexpr auto keep_alive_interval = 10s;
constexpr std::size_t most_threads = 256;
constexpr int most_streams = 128;

std::string random_token()
{
    std::random_device device;
    std::string token;
    for (int i = 0; i < 4; ++i) {
        token += fmt::format("{:08x}", device());
    }
    return token;
}

/// Takes the same time wherever the strings differ.
bool same_secret(std::string_view one, std::string_view other)
{
    unsigned difference = one.size() == other.size() ? 0 : 1;
    for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i) {
        difference |= static_cast<unsigned>(one[i] ^ other[i]);
    }
    return difference == 0;
}

/// The name in a Host header, without its port.
std::string_view host_name_in(std::string_view header)
{
    auto const bracket = header.find(']');
    auto const colon = header.find(':', bracket == std::string_view::npos ? 0 : bracket);
    return header.substr(0, colon);
}

bool is_this_host(std::string_view header)
{
    auto const host = host_name_in(header);
    return host == "127.0.0.1" || host == "localhost" || host == "[::1]";
}

std::optional<std::int64_t> number_of(std::string const& text)
{
    std::int64_t number = 0;
    auto const* const end = text.data() + text.size();
    auto const [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc{} && stop == end ? std::optional{number} : std::nullopt;
}

std::string cookie_of(httplib::Request const& request, std::string const& name)
{
    std::string_view cookies = request.headers.contains("Cookie")
                                   ? request.headers.find("Cookie")->second
                                   : std::string_view{};
    while (!cookies.empty()) {
        auto const end = std::min(cookies.find(';'), cookies.size());
        auto const cookie = cookies.substr(0, end);
        if (cookie.starts_with(name) && cookie.substr(name.size()).starts_with('=')) {
            return std::string{cookie.substr(name.size() + 1)};
        }
        cookies.remove_prefix(std::min(end + 1, cookies.size()));
        cookies.remove_prefix(std::min(cookies.find_first_not_of(' '), cookies.size()));
    }
    return {};
}

/// As a provider of known length: the library would compress other answers, which takes longer than
/// sending them to this host.
void answer(httplib::Response& response, std::shared_ptr<std::string const> const& text,
            char const* type)
{
    response.set_content_provider(
        text->size(), type,
        [text](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
            return sink.write(text->data() + offset, length);
        });
}

void answer(httplib::Response& response, std::string text, char const* type)
{
    answer(response, std::make_shared<std::string const>(std::move(text)), type);
}

void refuse(httplib::Response& response, int status, std::string const& reason)
{
    response.status = status;
    response.set_content(reason + "\n", "text/plain; charset=utf-8");
}

class ViewServer {
  public:
    ViewServer(Library& library, std::string const& page)
        : library_{library}, page_{std::make_shared<std::string const>(page)}
    {
        server_.new_task_queue = [] { return new RequestThreads{most_threads}; };
        server_.set_default_headers({{"X-Content-Type-Options", "nosniff"},
                                     {"Cache-Control", "no-store"},
                                     {"Referrer-Policy", "no-referrer"},
                                     {"Cross-Origin-Resource-Policy", "same-origin"},
                                     {"Content-Security-Policy", "frame-ancestors 'none'"}});
        server_.set_payload_max_length(0);
        // Not SO_REUSEPORT, the library's default: two programs could share a port.
        server_.set_socket_options([](socket_t socket) {
            int const yes = 1;
            ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        });
        server_.set_pre_routing_handler([this](auto const& request, auto& response) {
            return admit(request, response) ? httplib::Server::HandlerResponse::Unhandled
                                            : httplib::Server::HandlerResponse::Handled;
        });
        server_.set_exception_handler([](auto const&, auto& response, std::exception_ptr problem) {
            try {
                std::rethrow_exception(std::move(problem));
            } catch (std::exception const& error) {
                refuse(response, 500, error.what());
            }
        });
        add_routes();
    }

    Address bind(int port)
    {
        address_.token = random_token();
        if (port == 0) {
            address_.port = server_.bind_to_any_port("127.0.0.1");
        } else if (server_.bind_to_port("127.0.0.1", port)) {
            address_.port = port;
        }
        if (address_.port <= 0) {
            throw ConfigError{fmt::format("cannot listen on port {}", port),
                              "it is in use or reserved",
                              "Choose another --port, or leave it out for a free one."};
        }
        cookie_ = fmt::format("mees_{}", address_.port);
        return address_;
    }

    /// Returns after a signal.
    void run()
    {
        std::thread listener{[this] { server_.listen_after_bind(); }};
        while (received_signal() == 0) {
            std::this_thread::sleep_for(poll_interval);
            if (!library_.refresh().empty()) {
                ++changes_;
            }
        }
        stopped_ = true;
        server_.stop();
        listener.join();
    }

  private:
    bool admit(httplib::Request const& request, httplib::Response& response)
    {
        if (!is_this_host(request.get_header_value("Host"))) {
            refuse(response, 403,
                   "This host name is not accepted. Use the URL that mees_view printed.");
        } else if (request.method != "GET") {
            refuse(response, 405, "Only GET is accepted.");
        } else if (!same_secret(request.get_param_value("token"), address_.token)
                   && !same_secret(cookie_of(request, cookie_), address_.token)) {
            refuse(response, 403,
                   "The token is missing or wrong. Use the URL that mees_view printed.");
        } else {
            return true;
        }
        return false;
    }

    void add_routes()
    {
        server_.Get("/", [this](auto const&, auto& response) {
            response.set_header(
                "Set-Cookie",
                fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict", cookie_, address_.token));
            answer(response, page_, "text/html; charset=utf-8");
        });
        server_.Get("/api/runs", [this](auto const&, auto& response) {
            answer(response, runs_json(library_), "application/json");
        });
        server_.Get("/api/map", [this](auto const& request, auto& response) {
            if (auto const map = requested(request, response)) {
                auto const run =
                    static_cast<std::size_t>(*number_of(request.get_param_value("run")));
                answer(response, map_json(library_, run, *map), "application/json");
            }
        });
        server_.Get("/api/controller", [this](auto const& request, auto& response) {
            auto const row = number_of(request.get_param_value("row"));
            auto const map = requested(request, response);
            if (map && row) {
                answer(response, controller_bytes(map->reader, *row), "application/octet-stream");
            } else if (map) {
                refuse(response, 400, "Expected a row.");
            }
        });
        server_.Get("/api/events", [this](auto const&, auto& response) { stream(response); });
    }

    /// The map of the request's run and version; answers the request itself if there is none.
    OpenMapPtr requested(httplib::Request const& request, httplib::Response& response)
    {
        auto const run = number_of(request.get_param_value("run"));
        if (!run || *run < 0 || *run >= static_cast<std::int64_t>(library_.size())) {
            refuse(response, 404, "There is no such run.");
            return nullptr;
        }
        auto const index = static_cast<std::size_t>(*run);
        auto const version = request.get_param_value("version");
        auto map = version.empty() ? library_.current(index) : library_.find(index, version);
        if (!map) {
            refuse(response, 410, "This version of the map is no longer open.");
        }
        return map;
    }

    void stream(httplib::Response& response)
    {
        if (++streams_ > most_streams) {
            --streams_;
            return refuse(response, 503, "Too many pages are open.");
        }
        auto const seen = std::make_shared<std::int64_t>(-1);
        response.set_chunked_content_provider(
            "text/event-stream",
            [this, seen](std::size_t, httplib::DataSink& sink) { return send_events(*seen, sink); },
            [this](bool) { --streams_; });
    }

    /// Waits for a change of a map, or long enough that a silent page is noticed.
    bool send_events(std::int64_t& seen, httplib::DataSink& sink)
    {
        auto const begin = std::chrono::steady_clock::now();
        while (changes_ == seen && std::chrono::steady_clock::now() - begin < keep_alive_interval) {
            if (stopped_) {
                sink.done();
                return true;
            }
            std::this_thread::sleep_for(poll_interval / 2);
        }
        std::string text = ": alive\n\n";
        if (changes_ != seen) {
            seen = changes_;
            std::string versions = "[";
            for (std::size_t run = 0; run < library_.size(); ++run) {
                versions += fmt::format("{}{}", run == 0 ? "" : ",",
                                        json_string(library_.current(run)->version));
            }
            text = fmt::format("event: maps\ndata: {}]\n\n", versions);
        }
        return sink.write(text.data(), text.size());
    }

    Library& library_;
    std::shared_ptr<std::string const> page_;
    httplib::Server server_;
    Address address_;
    std::string cookie_;
    std::atomic<std::int64_t> changes_{0};
    std::atomic<int> streams_{0};
    std::atomic<bool> stopped_{false};
};

}  // namespace

void serve(Library& library, std::string const& page, int port,
           std::function<void(Address const&)> const& ready)
{
    install_signal_handlers();
    signals_are_polled();
    ViewServer server{library, page};
    ready(server.bind(port));
    server.run();
}

#endif

}  // namespace mees::viewer
