#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The messages between this program and an environment in another process: docs/process-domain.md.

namespace mees::process {

inline constexpr std::uint32_t protocol_version = 1;
inline constexpr int request_descriptor = 3;  ///< of the environment: it reads requests here
inline constexpr int reply_descriptor = 4;    ///< and writes replies here

/// Requests; a reply has the kind of its request, or is `failure`.
enum class Kind : std::uint32_t {
    hello = 1,
    reset = 2,
    step = 3,
    end = 4,
    render = 5,
    close = 6,
    failure = 7,
};

/// Precedes every message.
struct Header {
    Kind kind{Kind::hello};
    std::uint32_t size{0};  ///< of the rest, in bytes
};

inline constexpr std::size_t longest_text = 4096;
inline constexpr std::uint32_t most_numbers = 1'000'000;  ///< of an observation or an action
inline constexpr std::uint32_t most_names = 1000;
inline constexpr std::uint32_t largest_reply = 256U << 20U;

/// Appends values, little-endian, to a message.
class Writer {
  public:
    void begin(Kind kind);
    /// The complete message.
    [[nodiscard]] std::span<std::byte const> finish();

    void add(std::uint32_t value) { append(&value, sizeof value); }
    void add(std::uint64_t value) { append(&value, sizeof value); }
    void add(double value) { append(&value, sizeof value); }
    void add(std::span<double const> values) { append(values.data(), values.size_bytes()); }
    void add(std::string_view text);

  private:
    void append(void const* data, std::size_t size);

    std::vector<std::byte> bytes_;
};

/// Takes values from a message; nothing of what is not there.
class Reader {
  public:
    explicit Reader(std::span<std::byte const> bytes) : rest_{bytes} {}

    template <class Number>
    [[nodiscard]] std::optional<Number> number();
    [[nodiscard]] bool numbers(std::span<double> values);
    [[nodiscard]] std::optional<std::string> text();
    [[nodiscard]] std::span<std::byte const> rest() const { return rest_; }

  private:
    std::span<std::byte const> rest_;
};

/// What an environment states of itself when it starts.
struct Hello {
    std::int64_t observation_size{0};
    std::int64_t action_size{0};
    std::int64_t episode_steps{0};
    double seconds_per_step{0};
    bool renders{false};
    bool last_reward{false};  ///< fitness is the last reward, not the sum
    std::vector<std::string> reward_terms;
    std::vector<std::string> bc_names;
    std::vector<double> bc_lower;
    std::vector<double> bc_upper;
    std::vector<std::int64_t> bc_bins;
    friend bool operator==(Hello const&, Hello const&) = default;
};

/// The statement, or why it cannot be one.
struct ParsedHello {
    std::optional<Hello> hello;
    std::string problem;
};
[[nodiscard]] ParsedHello parse_hello(std::span<std::byte const> payload);

}  // namespace mees::process
