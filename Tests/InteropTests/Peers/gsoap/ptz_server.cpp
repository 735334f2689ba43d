// A camera that can be turned: the PTZ service of ONVIF, made with gSOAP from the WSDL of ONVIF. Run: ptz_server PORT.
//
// It knows one profile, "profile_1", and refuses others with the subcode that ONVIF prescribes. The requests of operations
// that are not here are read, which judges them by the schema, and answered with a fault that says so.
#include <cstdlib>
#include <iostream>
#include <vector>

#include "PTZBinding.nsmap"
// What the generated class does where ours does nothing.
#undef SOAP_PURE_VIRTUAL
#define SOAP_PURE_VIRTUAL { return soap_receiverfault("The request was read; this camera cannot do it.", nullptr); }
#include "soapPTZBindingService.cpp"

namespace {

// The generated table, which each request brings back, lacks the prefix of ONVIF's subcodes.
const struct Namespace namespaces_with_errors[] = {
    {"SOAP-ENV", "http://www.w3.org/2003/05/soap-envelope", nullptr, nullptr},
    {"SOAP-ENC", "http://www.w3.org/2003/05/soap-encoding", nullptr, nullptr},
    {"xsi", "http://www.w3.org/2001/XMLSchema-instance", nullptr, nullptr},
    {"xsd", "http://www.w3.org/2001/XMLSchema", nullptr, nullptr},
    {"ter", "http://www.onvif.org/ver10/error", nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr},
};

struct Preset {
    std::string name, token;
    float pan, tilt, zoom;
};

class Camera : public PTZBindingService {
public:
    Camera() : PTZBindingService(SOAP_C_UTFSTRING | SOAP_XML_STRICT) {}

    int GetNodes(_tptz__GetNodes *, _tptz__GetNodesResponse &output) override {
        tt__PTZNode *node = soap_new_tt__PTZNode(soap);
        node->token = "node_1";
        node->Name = soap_new_std__string(soap);
        *node->Name = "Schwenkkopf";
        node->SupportedPTZSpaces = soap_new_tt__PTZSpaces(soap);
        node->MaximumNumberOfPresets = 64;
        node->HomeSupported = true;
        node->AuxiliaryCommands = {"tt:Wiper|On", "tt:Wiper|Off"};
        node->GeoMove = soap_new_bool(soap);
        *node->GeoMove = false;
        output.PTZNode.push_back(node);
        return SOAP_OK;
    }

    int GetStatus(_tptz__GetStatus *input, _tptz__GetStatusResponse &output) override {
        if (input->ProfileToken != "profile_1") return no_profile();
        tt__PTZStatus *status = soap_new_tt__PTZStatus(soap);
        status->Position = position(pan, tilt, zoom);
        status->MoveStatus = soap_new_tt__PTZMoveStatus(soap);
        status->MoveStatus->PanTilt = static_cast<tt__MoveStatus *>(soap_malloc(soap, sizeof(tt__MoveStatus)));
        *status->MoveStatus->PanTilt = moving ? tt__MoveStatus::MOVING : tt__MoveStatus::IDLE;
        status->UtcTime = 1774787696;  // 2026-03-29T12:34:56Z
        output.PTZStatus = status;
        return SOAP_OK;
    }

    int AbsoluteMove(_tptz__AbsoluteMove *input, _tptz__AbsoluteMoveResponse &) override {
        if (input->ProfileToken != "profile_1") return no_profile();
        if (input->Position->PanTilt) {
            pan = input->Position->PanTilt->x;
            tilt = input->Position->PanTilt->y;
        }
        if (input->Position->Zoom) zoom = input->Position->Zoom->x;
        return SOAP_OK;
    }

    int ContinuousMove(_tptz__ContinuousMove *input, _tptz__ContinuousMoveResponse &) override {
        if (input->ProfileToken != "profile_1") return no_profile();
        moving = input->Timeout && *input->Timeout == "PT1M30.5S";
        return SOAP_OK;
    }

    int Stop(_tptz__Stop *input, _tptz__StopResponse &) override {
        if (input->ProfileToken != "profile_1") return no_profile();
        moving = false;
        return SOAP_OK;
    }

    int SetPreset(_tptz__SetPreset *input, _tptz__SetPresetResponse &output) override {
        if (input->ProfileToken != "profile_1") return no_profile();
        Preset preset = {input->PresetName ? *input->PresetName : "", "preset_" + std::to_string(presets.size() + 1), pan,
                         tilt, zoom};
        presets.push_back(preset);
        output.PresetToken = preset.token;
        return SOAP_OK;
    }

    int GetPresets(_tptz__GetPresets *input, _tptz__GetPresetsResponse &output) override {
        if (input->ProfileToken != "profile_1") return no_profile();
        for (Preset &known : presets) {
            tt__PTZPreset *preset = soap_new_tt__PTZPreset(soap);
            preset->Name = &known.name;
            preset->token = &known.token;
            preset->PTZPosition = position(known.pan, known.tilt, known.zoom);
            output.Preset.push_back(preset);
        }
        return SOAP_OK;
    }

private:
    float pan = 0, tilt = 0, zoom = 0;
    bool moving = false;
    std::vector<Preset> presets;

    int no_profile() {
        soap_set_namespaces(soap, namespaces_with_errors);
        return soap_senderfault("ter:InvalidArgVal", "No such profile: Profil unbekannt",
                                "<why xmlns=\"urn:example:camera\">profile_1 is the only one</why>");
    }

    tt__PTZVector *position(float pan, float tilt, float zoom) {
        tt__PTZVector *result = soap_new_tt__PTZVector(soap);
        result->PanTilt = soap_new_tt__Vector2D(soap);
        result->PanTilt->x = pan;
        result->PanTilt->y = tilt;
        result->Zoom = soap_new_tt__Vector1D(soap);
        result->Zoom->x = zoom;
        return result;
    }
};

}  // namespace

int main(int count, char **arguments) {
    if (count != 2) return 2;
    Camera camera;
    camera.soap->bind_flags = SO_REUSEADDR;
    if (!soap_valid_socket(camera.bind("127.0.0.1", std::atoi(arguments[1]), 100))) {
        camera.soap_stream_fault(std::cerr);
        return 1;
    }
    while (soap_valid_socket(camera.accept())) {
        // What cannot be read has been answered with a fault; the next one may be better.
        camera.serve();
        camera.destroy();
    }
    camera.soap_stream_fault(std::cerr);
    return 1;
}
