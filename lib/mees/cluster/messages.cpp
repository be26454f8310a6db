#include "mees/cluster/messages.hpp"

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/string.hpp>

#include <sstream>

namespace boost::serialization {

template <class Archive>
void serialize(Archive& archive, mees::Introduction& introduction, unsigned)
{
    archive& introduction.rank& introduction.host& introduction.processor& introduction
        .kernel& introduction.process& introduction.leads_node& introduction.node_size;
}

template <class Archive>
void serialize(Archive& archive, mees::Failure& failure, unsigned)
{
    archive& failure.rank& failure.host& failure.where& failure.text;
}

}  // namespace boost::serialization

namespace mees {
namespace {

template <class Message>
std::string to_bytes(Message const& message)
{
    std::ostringstream stream;
    boost::archive::binary_oarchive archive{stream};
    archive << message;
    return stream.str();
}

template <class Message>
Message from_bytes(std::string const& bytes)
{
    std::istringstream stream{bytes};
    boost::archive::binary_iarchive archive{stream};
    Message message;
    archive >> message;
    return message;
}

}  // namespace

std::string encode(Introduction const& introduction)
{
    return to_bytes(introduction);
}

std::string encode(Failure const& failure)
{
    return to_bytes(failure);
}

Introduction decode_introduction(std::string const& bytes)
{
    return from_bytes<Introduction>(bytes);
}

Failure decode_failure(std::string const& bytes)
{
    return from_bytes<Failure>(bytes);
}

}  // namespace mees
